"""The style sheet of all that a notebook shows.

Colours come from the theme of JupyterLab or VS Code if there is one. Otherwise the text has the colour of the text around it, and
accents follow the browser's preference for light or dark, unless the page says which one it has. Notebooks have style sheets of
their own for tables; what they would change is marked as important.
"""

from __future__ import annotations

from typing import Final

_LIGHT: Final = "--zs-accent:#0b62a4;--zs-error:#b3261e;"
_DARK: Final = "--zs-accent:#7cb8f2;--zs-error:#ff8a80;"
_ON_LIGHT: Final = "body[data-jp-theme-light=true],body.vscode-light,html[theme=light],html[data-theme=light]"
_ON_DARK: Final = "body[data-jp-theme-light=false],body.vscode-dark,html[theme=dark],html[data-theme=dark]"

STYLE: Final = f"""
.zarrscope{{{_LIGHT}
 --zs-text:var(--jp-content-font-color1,var(--vscode-editor-foreground,inherit));
 --zs-line:var(--jp-border-color2,var(--vscode-editorWidget-border,rgba(128,128,128,.4)));
 color:var(--zs-text);font-family:var(--jp-content-font-family,var(--vscode-font-family,system-ui,sans-serif));
 font-size:13px;line-height:1.45;max-width:100%}}
@media(prefers-color-scheme:dark){{.zarrscope{{{_DARK}}}}}
{",".join(f"{where} .zarrscope" for where in _ON_LIGHT.split(","))}{{{_LIGHT}}}
{",".join(f"{where} .zarrscope" for where in _ON_DARK.split(","))}{{{_DARK}}}
.zarrscope .zs-head{{border-bottom:1px solid var(--zs-line);padding-bottom:3px;margin-bottom:6px}}
.zarrscope .zs-kind,.zarrscope .zs-dim,.zarrscope th{{opacity:.68}}
.zarrscope .zs-name{{font-weight:600}}
.zarrscope .zs-dim,.zarrscope .zs-error{{white-space:pre-wrap}}
.zarrscope .zs-group{{color:var(--zs-accent);font-weight:600}}
.zarrscope .zs-error{{color:var(--zs-error)}}
.zarrscope .zs-body{{display:flex;flex-wrap:wrap;gap:8px 28px;align-items:flex-start}}
.zarrscope table,.zarrscope tbody,.zarrscope tr,.zarrscope th,.zarrscope td{{border:0!important;background:none!important}}
.zarrscope table{{border-collapse:collapse;margin:0;max-width:44em}}
.zarrscope th,.zarrscope td{{text-align:left!important;vertical-align:top;padding:1px 14px 1px 0!important;
 max-width:none!important;font-size:13px;white-space:pre-wrap;overflow-wrap:anywhere}}
.zarrscope th{{font-weight:400;white-space:nowrap;overflow-wrap:normal}}
.zarrscope summary{{cursor:pointer;padding:1px 0}}
.zarrscope .zs-tree details>*:not(summary){{margin-left:1.25em}}
.zarrscope .zs-leaf{{padding:1px 0 1px 1.05em}}
.zarrscope pre{{margin:2px 0 2px 1em;font-family:var(--jp-code-font-family,monospace);font-size:12px;
 color:inherit;background:none;
 white-space:pre-wrap;overflow-wrap:anywhere;max-height:24em;overflow:auto}}
.zarrscope svg{{overflow:visible;flex:none}}
.zarrscope svg text{{fill:var(--zs-text);fill:currentColor;font-size:11px;font-family:inherit}}
.zarrscope .zs-face{{fill:var(--zs-accent);fill-opacity:.16;stroke:var(--zs-accent);stroke-width:1.2}}
.zarrscope .zs-side{{fill:var(--zs-accent);fill-opacity:.28;stroke:var(--zs-accent);stroke-width:1.2}}
.zarrscope .zs-cut{{stroke:var(--zs-accent);stroke-opacity:.75;stroke-width:.8;fill:none}}
.zarrscope .zs-inner{{stroke:var(--zs-accent);stroke-opacity:.4;stroke-width:.5;fill:none}}
""".strip()

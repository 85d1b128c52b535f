"""The published tables: each stands in a page of the documentation between two comments that name its group.

<!-- figures: arrays -->
(the table, with the machine, the versions and the date)
<!-- end of figures -->

A group with peers has a second table, of its ratios alone: ``arrays_ratios``.
"""

from __future__ import annotations

import datetime
import re
import statistics
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from tests.benchmarks import mount
from tests.benchmarks.results import Result, described_machine
from tests.benchmarks.workloads import WORKLOADS

ARRAYS = "arrays"
PAGES = Path(__file__).resolve().parents[2] / "core" / "docs"

_BLOCK = re.compile(r"(<!-- figures: (?P<group>\w+) -->\n).*?(<!-- end of figures -->)", re.DOTALL)


def group_of(result: Result) -> str:
    """The table that a result belongs to."""
    return ARRAYS if any(workload.name == result.workload for workload in WORKLOADS) else result.workload


def table(results: Sequence[Result]) -> str:
    """A Markdown table of results with the same libraries, one row for each."""
    names = list(dict.fromkeys(name for result in results for name in result.seconds))
    last: list[tuple[str, Callable[[Result], str]]] = []
    if any(result.ratios() for result in results):
        title = "× the named peer" if any(result.against for result in results) else "× the best peer"
        last.append((title, Result.ratio))
    if any(result.target for result in results):
        last.append(("target", lambda result: result.target))
    rows = [["", "", *names, *(title for title, _ in last)], ["---"] * (len(names) + 2 + len(last))]
    for result in results:
        where = result.describes if group_of(result) != ARRAYS else f"{result.workload} {result.describes}"
        cells = [result.figure(name) if name in result.seconds else "–" for name in names]
        rows.append([where, result.what, *cells, *(told(result) for _, told in last)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def ratios(results: Sequence[Result]) -> str:
    """A Markdown table of ratios: of arrays, one row for each workload and a column for each kind that all of them have."""
    compared = [result for result in results if result.ratios()]
    if group_of(compared[0]) != ARRAYS:
        rows = [["", "×"], ["---"] * 2]
        for result in compared:
            against = f" ({result.against})" if result.against else ""
            rows.append([f"{result.describes}{against}", _median(result)])
    else:
        found = {(result.workload, result.what): result for result in compared}
        names = list(dict.fromkeys(f"{result.workload} {result.describes}" for result in compared))
        kinds = dict.fromkeys(result.what for result in compared)
        common = [kind for kind in kinds if all((name.split()[0], kind) in found for name in names)]
        rows = [["", *common], ["---"] * (len(common) + 1)]
        for name in names:
            rows.append([name, *(_median(found[name.split()[0], kind]) for kind in common)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _median(result: Result) -> str:
    return f"{statistics.median(result.ratios()):.2f}"


def tables(results: Iterable[Result]) -> dict[str, str]:
    """The tables of each group, and below the first one how it was measured."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(group_of(result), []).append(result)
    found = {group: f"{table(members)}\n\n{_how(members)}" for group, members in groups.items()}
    compared = {group: members for group, members in groups.items() if any(map(Result.ratios, members))}
    return found | {f"{group}_ratios": ratios(members) for group, members in compared.items()}


def _how(results: Sequence[Result]) -> str:
    when = datetime.datetime.now(tz=datetime.UTC).date()
    rounds = statistics.mode(len(seconds) for result in results for seconds in result.seconds.values())
    counted = f"medians of {rounds} rounds" if rounds > 1 else "one round"
    return f"Measured on {when}, {counted}. {described_machine()}"


def incomplete(results: Iterable[Result]) -> str:
    """What is missing for the tables of arrays and mounts, if a part of them was measured; else empty."""
    found = {(result.workload, result.what) for result in results}
    arrays = [(workload.name, kind) for workload in WORKLOADS for kind in workload.kinds]
    mounts = [(mount.NAME, kind) for kind in (*mount.KINDS, *mount.LONG_KINDS)]
    tables = [wanted for wanted in (arrays, mounts) if not found.isdisjoint(wanted)]
    return ", ".join(" ".join(row) for wanted in tables for row in wanted if row not in found)


def publish(texts: dict[str, str], pages: Path = PAGES) -> list[Path]:
    """Put each table in its place in the pages of a folder. Returns the pages that changed.

    Raises:
        LookupError: no page has a place for one of the tables.
    """
    changed, left = [], set(texts)
    for page in sorted(pages.rglob("*.md")):
        before = page.read_text()

        def replaced(block: re.Match[str]) -> str:
            text = texts.get(block["group"])
            left.discard(block["group"])
            return block[0] if text is None else f"{block[1]}\n{text}\n\n{block[3]}"

        after = _BLOCK.sub(replaced, before)
        if after != before:
            page.write_text(after)
            changed.append(page)
    if left:
        raise LookupError(f"no page in {pages} has a place for figures of {', '.join(sorted(left))}")
    return changed

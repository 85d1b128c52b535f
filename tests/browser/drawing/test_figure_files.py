"""Figures as files, read by other programs: Pillow, an XML parser, pypdf."""

from __future__ import annotations

import base64
import io
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow
from PySide6.QtGui import QPageSize
from PySide6.QtPrintSupport import QPrinter

from tests.browser.drawing.figures import BLACK, BLUE, GREEN, OPTIONS, PIXELS, RED, figure, line, picture
from zarrbrowser.drawing.figure_files import draw_on_page, file_of, image_of_figure
from zarrbrowser.export.figures.figure import Figure, Layer, Line, Picture, Plot
from zarrbrowser.export.figures.scales import Scale

pytestmark = pytest.mark.usefixtures("application")


def opened(document: bytes) -> Pillow.Image:
    return Pillow.open(io.BytesIO(document)).convert("RGBA")


def colours_of(image: Pillow.Image) -> set[tuple[int, ...]]:
    return set(map(tuple, np.asarray(image).reshape(-1, 4).tolist()))


def places_of(image: Pillow.Image, colour: tuple[int, ...]) -> tuple[float, float]:
    """The middle (row, column) of the pixels of a colour."""
    rows, columns = np.nonzero((np.asarray(image) == colour).all(axis=2))
    assert rows.size > 500, f"{colour} is a large square"
    return float(rows.mean()), float(columns.mean())


def test_a_png_file_has_its_size_resolution_and_colours() -> None:
    document = file_of(figure(), OPTIONS, "png")
    plain = Pillow.open(io.BytesIO(document))
    assert plain.size == OPTIONS.pixels == (315, 236)
    assert plain.info["dpi"] == pytest.approx((100, 100), abs=0.1)
    image = opened(document)
    assert image.getpixel((2, 2)) == (255, 255, 255, 255)
    red, green, blue = (places_of(image, one) for one in (RED, GREEN, BLUE))
    assert red[0] == pytest.approx(green[0], abs=2)
    assert red[1] < green[1]
    assert red[0] < blue[0]
    assert red[1] == pytest.approx(blue[1], abs=2)


def test_rows_that_run_up_are_drawn_so() -> None:
    image = opened(file_of(figure(picture(is_turned=True)), OPTIONS, "png"))
    assert places_of(image, BLUE)[0] < places_of(image, RED)[0]


def test_the_background_can_be_transparent() -> None:
    image = opened(file_of(figure(), replace(OPTIONS, is_transparent=True), "png"))
    assert image.getpixel((2, 2))[3] == 0


def test_parts_can_be_left_out() -> None:
    everything = image_of_figure(figure(), OPTIONS)
    bare = replace(
        OPTIONS, title="", has_axes=False, has_colour_bar=False, has_scale_bar=False, has_labels=False
    )
    image = opened(file_of(figure(), bare, "png"))
    shown = set(map(tuple, np.asarray(image).reshape(-1, 4)[:, :3].tolist()))
    assert (255, 0, 0) in shown
    assert places_of(image, RED)[1] != places_of(opened(file_of(figure(), OPTIONS, "png")), RED)[1]
    assert (everything.width(), everything.height()) == OPTIONS.pixels


def test_an_svg_file_has_text_as_text_and_the_picture_as_an_image() -> None:
    root = ET.fromstring(file_of(figure(), OPTIONS, "svg"))
    kind = root.tag.partition("}")[0] + "}"
    texts = {"".join(one.itertext()).strip() for one in root.iter(f"{kind}text")}
    assert {"A & <b>", "lat (°N)", "lon (°E)", "temperature (°C)", "0", "1", "10"} <= texts
    assert root.get("width", "").startswith("80")
    assert root.get("height", "").startswith("60")
    images = [
        opened(base64.b64decode(one.get("{http://www.w3.org/1999/xlink}href", "").partition(",")[2]))
        for one in root.iter(f"{kind}image")
    ]
    (drawn,) = [one for one in images if RED in colours_of(one)]
    assert drawn.getpixel((0, 0)) == RED
    assert drawn.getpixel((drawn.width - 1, drawn.height - 1)) == BLACK
    assert drawn.width > 50, "elements are squares of pixels, so that no program blurs them"


def test_a_pdf_file_has_text_as_text_and_the_picture_without_loss() -> None:
    pypdf = pytest.importorskip("pypdf")
    (page,) = pypdf.PdfReader(io.BytesIO(file_of(figure(), OPTIONS, "pdf"))).pages
    width, height = (float(one) * 25.4 / 72 for one in (page.mediabox.width, page.mediabox.height))
    assert (width, height) == pytest.approx((80, 60), abs=0.4)
    text = " ".join(page.extract_text().split())
    assert all(word in text for word in ("A & <b>", "lon (°E)", "10"))
    images = [colours_of(one.image.convert("RGBA")) for one in page.images]
    assert any({RED, GREEN, BLUE, BLACK} == one for one in images), "no other colours, as JPEG would have"


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_plot_is_written_with_gaps(suffix: str) -> None:
    document = file_of(Figure(((0, 0, line()),)), OPTIONS, suffix)
    assert document.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix])
    if suffix == "svg":
        root = ET.fromstring(document)
        kind = root.tag.partition("}")[0] + "}"
        lengths = [len(one.get("points", "").split()) for one in root.iter(f"{kind}polyline")]
        assert 2 in lengths, "the part before the gap"
        assert max(lengths) == 2, "nothing is drawn through a gap"


@pytest.mark.parametrize(
    "panel",
    [
        Picture((), Scale("y", -0.5, 0.5), Scale("x", -0.5, 0.5), None),
        Picture(
            (Layer(np.zeros((0, 3, 4), np.uint8), (0, 0, 0, 3)),), Scale("y", 0, 1), Scale("x", 0, 3), 1.0
        ),
        Picture(
            (Layer(PIXELS, (-0.5, -0.5, 1.5, 1.5)),), Scale("y" * 300, -0.5, 1.5), Scale("x", -0.5, 1e6), 1.0
        ),
        Plot((), Scale("x", 0, 1), Scale("y", 1, 0)),
        Plot((Line(np.arange(3.0), np.full(3, np.nan)),), Scale("x", 0, 2), Scale("y", 1, 0)),
        Plot((Line(np.arange(2.0), np.array([-1e306, 1e306])),), Scale("x", 0, 1), Scale("y", 1, 0)),
    ],
)
def test_panels_with_nothing_to_show_are_drawn(panel: Picture | Plot) -> None:
    for suffix in ("png", "svg", "pdf"):
        assert file_of(Figure(((0, 0, panel),)), replace(OPTIONS, width_mm=10, height_mm=10), suffix)


def test_panels_are_beside_each_other() -> None:
    two = Figure(((0, 0, picture()), (0, 1, replace(picture(), title="right"))), legend=(("one", (9, 9, 9)),))
    bare = replace(OPTIONS, has_scale_bar=False)
    image = np.asarray(opened(file_of(two, bare, "png")))
    columns = np.nonzero((image == RED).all(axis=2).sum(axis=0) > 5)[0]
    assert np.count_nonzero(np.diff(columns) > 5) == 1, "two red squares"


def test_a_page_holds_the_figure_in_its_size(tmp_path: Path) -> None:
    pypdf = pytest.importorskip("pypdf")
    printer = QPrinter()
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "page.pdf"))
    printer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    draw_on_page(printer, figure(), OPTIONS)
    (page,) = pypdf.PdfReader(tmp_path / "page.pdf").pages
    assert float(page.mediabox.width) == pytest.approx(595, abs=1)
    assert "lon (°E)" in " ".join(page.extract_text().split())

"""The server's own viewer: what it is sent, and that names and values of a hierarchy are text for it."""

from __future__ import annotations

import html.parser
import io
import os
import re
import shutil
import subprocess
import urllib.parse
from importlib.resources import files
from pathlib import Path
from typing import Any

import h5py
import httpx
import numpy as np
import pytest

import zarrcore as zc
from tests.waiting import PATIENCE_S
from tests.zfs.http.conftest import HOSTILE, VALUES
from tests.zfs.http.serving import Served, get, serving

PROGRAMS = sorted(
    file.name for file in files("zarrfs.http.viewer").iterdir() if file.name.endswith((".js", ".css"))
)
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


class Elements(html.parser.HTMLParser):
    """The elements of a page, with their attributes, and the text outside of elements' tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attributes)))

    def handle_data(self, data: str) -> None:
        self.text += data


def facts_of(client: httpx.Client, place: str) -> Any:
    answer = client.get(f"/view/nodes{place}/")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_page_runs_its_own_program_only(client: httpx.Client) -> None:
    answer = client.get("/view/")
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
    assert policy == {
        "default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "connect-src": "'self'", "img-src": "data:",
        "base-uri": "'none'", "form-action": "'none'", "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'", "trusted-types": "'none'",
    }  # fmt: skip
    assert answer.headers["referrer-policy"] == "no-referrer"
    for tag, attributes in Elements(answer.text).found:
        assert tag != "style"
        assert tag != "script" or attributes["src"]
        assert not [name for name in attributes if name == "style" or name.startswith("on")]
    head = client.head("/view/")
    assert (head.headers["content-length"], head.content) == (str(len(answer.content)), b"")


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_file_of_the_program_is_sent_and_makes_no_markup(client: httpx.Client, name: str) -> None:
    answer = client.get(f"/view/{name}")
    kind = "text/css" if name.endswith(".css") else "text/javascript"
    assert (answer.status_code, answer.headers["content-type"]) == (200, f"{kind}; charset=utf-8")
    assert answer.headers["x-content-type-options"] == "nosniff"
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "document.write",
        "eval(",
        "Function(",
        "http://",
        "https://",
    ):
        assert word not in answer.text.replace("https://numpy.org/doc/", "")


def test_all_addresses_are_relative(client: httpx.Client) -> None:
    elements = Elements(client.get("/view/").text).found
    links = [link for _, attributes in elements for name in ("href", "src") if (link := attributes.get(name))]
    assert links
    assert not [link for link in links if link.startswith(("/", "http"))]
    assert client.get("/view?token=x").headers["location"] == "./view/?token=x"


def test_stored_values_are_no_scripts(tmp_path: Path) -> None:
    zc.create(tmp_path / "a.zarr")
    (tmp_path / "a.zarr" / "evil.js").write_text("document.title = 'owned'")
    with serving(tmp_path / "a.zarr") as server:
        answer = get(f"{server.url}/keys/evil.js")
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_group_has_its_nodes(client: httpx.Client) -> None:
    found = facts_of(client, "")
    children = {child["name"]: child for child in found["children"]}
    assert (found["kind"], found["format"], found["has_more"]) == ("group", "v3", False)
    assert children["damaged"] == {
        "name": "damaged",
        "place": "/damaged",
        "kind": "array",
        "shape": [4],
        "type": "int32",
    }
    hostile = children[HOSTILE.replace("/", "|")]
    assert facts_of(client, hostile["place"])["path"] == f"/{HOSTILE.replace('/', '|')}"
    assert client.get(f"/arrays{hostile['place']}/attributes.json").status_code == 200


def test_an_array_has_what_a_picture_needs(client: httpx.Client) -> None:
    found = facts_of(client, "/g/x")["array"]
    assert (found["shape"], found["dtype"], found["chunks"]) == ([4, 50, 60], "int32", [1, 25, 60])
    assert (found["is_colour"], found["is_text"], found["missing"]) == (False, False, [])
    content = client.get(f"/arrays{found['place']}/2,0:50:7,10:60:9.npy").content
    np.testing.assert_array_equal(np.load(io.BytesIO(content)), VALUES[2, 0:50:7, 10:60:9])
    assert facts_of(client, "/words")["array"]["is_text"]


def test_other_formats_are_shown_alike(tmp_path: Path) -> None:
    values = np.arange(3 * 40 * 50, dtype=">f4").reshape(3, 40, 50)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["g/x"] = values
        file["g/x"].attrs["_FillValue"] = np.float32(7)
    with zc.create(tmp_path / "b.n5", format="n5") as hierarchy:
        hierarchy.create_array("g/x", data=values.astype("f4"))
    with serving(tmp_path) as server, httpx.Client(base_url=server.url, timeout=PATIENCE_S) as client:
        for name, missing in (("a.h5", ["7.0"]), ("b.n5", [])):
            found = facts_of(client, f"/{name}/g/x")["array"]
            assert (found["shape"], found["dtype"], found["missing"]) == ([3, 40, 50], "float32", missing)
            content = client.get(f"/arrays{found['place']}/1,0:40:3,:.npy").content
            np.testing.assert_array_equal(np.load(io.BytesIO(content)), values[1, ::3])
        assert facts_of(client, "")["kind"] == "collection"


def test_missing_values_are_exact(tmp_path: Path) -> None:
    hierarchy = zc.create(tmp_path / "a.zarr")
    hierarchy.create_array("x", shape=(2,), dtype="int64", attributes={"_FillValue": 2**62 + 1})
    hierarchy.create_array("y", shape=(2, 2, 3), dtype="uint8", dimension_names=["y", None, "c"])
    with serving(tmp_path / "a.zarr") as server, httpx.Client(base_url=server.url) as client:
        assert facts_of(client, "/x")["array"]["missing"] == [str(2**62 + 1)]
        found = facts_of(client, "/y")["array"]
        assert (found["is_colour"], found["dimensions"]) == (True, ["y", None, "c"])


def test_an_image_has_the_levels_that_can_stand_for_the_first(tmp_path: Path) -> None:
    hierarchy = zc.create(tmp_path / "a.zarr")
    levels = [
        {"path": path, "coordinateTransformations": [
            {"type": "scale", "scale": [factor] * 2}, {"type": "translation", "translation": [(factor - 1) / 2] * 2},
        ]}
        for path, factor in (("0", 1.0), ("1", 2.0), ("other", 4.0))
    ]  # fmt: skip
    axes = [{"name": name, "type": "space"} for name in "yx"]
    multiscales = [{"axes": axes, "datasets": levels}]
    hierarchy.create_group("image", attributes={"ome": {"version": "0.5", "multiscales": multiscales}})
    for path, length, dtype in (("0", 64, "uint8"), ("1", 32, "uint8"), ("other", 16, "uint16")):
        hierarchy.create_array(f"image/{path}", shape=(length, length), dtype=dtype)
    with serving(tmp_path / "a.zarr") as server, httpx.Client(base_url=server.url) as client:
        found = facts_of(client, "/image")["array"]
        assert (found["place"], found["is_labels"]) == ("/image/0", False)
        assert found["levels"] == [
            {"place": "/image/0", "shape": [64, 64], "factors": [1, 1], "begins": [0, 0]},
            {"place": "/image/1", "shape": [32, 32], "factors": [2, 2], "begins": [0, 0]},
        ]


def test_what_cannot_be_shown_says_why(client: httpx.Client, tmp_path: Path) -> None:
    for path in (
        "/view/nodes/none/",
        "/view/none",
        "/view/view.js/",
        "/view/__init__.py",
        "/view/nodes/g/x/y/",
    ):
        assert client.get(path).status_code == 404, path
    hierarchy = zc.create(tmp_path / "a.zarr")
    hierarchy.create_group("x")
    (tmp_path / "a.zarr" / "x" / "zarr.json").write_text("{<b>")
    with serving(tmp_path / "a.zarr") as server, httpx.Client(base_url=server.url) as other:
        found = facts_of(other, "/x")
        assert (found["kind"], "expected a JSON object" in found["error"]) == ("broken", True)
        assert found["error"] == get(f"{server.url}/arrays/x/error.txt").text.strip()


def test_a_group_of_many_nodes_shows_the_first(tmp_path: Path) -> None:
    zc.create(tmp_path / "a.zarr")
    for number in range(1001):
        folder = tmp_path / "a.zarr" / f"{number:04}"
        folder.mkdir()
        shutil.copy(tmp_path / "a.zarr" / "zarr.json", folder)
    with serving(tmp_path / "a.zarr") as server, httpx.Client(base_url=server.url, timeout=60) as client:
        found = facts_of(client, "")
        assert (len(found["children"]), found["has_more"]) == (1000, True)


def test_a_token_is_needed_and_stays_in_the_links(source: Path) -> None:
    with serving(source, token=None) as server:
        hostile = urllib.parse.quote('"><script>x</script>')
        assert "<script>x" not in get(f"{server.url}/view/?token={hostile}").text
    from zarrfs.http.options import Token

    with serving(source, token=Token("abc")) as server:
        for path in ("/view/", "/view/view.js", "/view/nodes/"):
            assert get(server.url + path).status_code == 401
            assert get(f"{server.url}{path}?token=abc").status_code == 200
        page = get(f"{server.url}/view/?token=abc").text
        assert 'src="view.js?token=abc"' in page
        assert 'href="view/?token=abc#/"' in get(f"{server.url}/?token=abc").text


def test_listings_of_nodes_link_to_the_viewer(client: httpx.Client) -> None:
    for path, link in (("/", "view/#/"), ("/arrays/", "../view/#/"), ("/arrays/g/x/", "../../../view/#/g/x")):
        assert f'<a href="{link}">' in client.get(path).text
    for path in ("/arrays/g/x/slices/", "/keys/g/", "/zarr3/"):
        assert "view/#" not in client.get(path).text


def test_a_single_tree_has_no_viewer(source: Path) -> None:
    with serving(source, view="arrays") as server:
        assert get(f"{server.url}/view/").status_code == 404
        assert "view/#" not in get(f"{server.url}/").text


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hierarchy whose names and attributes are markup that would change the page's title."""
    path = tmp_path_factory.mktemp("hostile") / "a.zarr"
    markup = "<img src=x onerror=\"document.title='owned'\">"
    hierarchy = zc.create(path)
    group = hierarchy.create_group(
        markup, attributes={markup: f"</pre><script>document.title='owned'</script>{markup}"}
    )
    group.create_array("words", shape=(2,), dtype="string")[...] = [markup, "b"]
    data = np.arange(200 * 300, dtype="<i4").reshape(200, 300)
    group.create_array("plane", shape=data.shape, dtype="int32", dimension_names=[markup, "x"])[...] = data
    return path


def dump(url: str, folder: Path) -> str:
    """The page at an address after its program has run in Chromium, as HTML."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    command = [
        CHROMIUM, "--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync", f"--user-data-dir={folder}", "--virtual-time-budget=30000", "--dump-dom",
    ]  # fmt: skip
    sandbox = ["--no-sandbox"] if os.getuid() == 0 else []
    return subprocess.run(
        [*command, *sandbox, url], capture_output=True, text=True, timeout=120, check=True
    ).stdout


@pytest.mark.parametrize("node", ["", "/plane", "/words"])
def test_hostile_names_are_text_in_a_browser(hostile: Path, tmp_path: Path, node: str) -> None:
    with serving(hostile) as server:
        place = next(iter(get(f"{server.url}/view/nodes/").json()["children"]))["place"]
        page = dump(f"{server.url}/view/#{place}{node}", tmp_path)
    elements = Elements(page)
    tags = [tag for tag, _ in elements.found]
    assert (tags.count("img"), tags.count("script")) == (0, 1)
    title = re.search("<title>(.*?)</title>", page)
    assert title is not None
    assert title[1].startswith("/&lt;img src=x")
    assert "<img src=x onerror=\"document.title='owned'\">" in elements.text
    if node == "/plane":
        assert re.search(r"\d+ × \d+ elements read", elements.text)


def test_a_browser_shows_what_an_address_names(served: Served, tmp_path: Path) -> None:
    page = dump(f"{served.url}/view/#/g/x?at=3.0.0&as=table&from=0,40", tmp_path)
    text = Elements(page).text
    assert "columns 40 to 59 of 60" in text
    assert all(f"{value}" in text for value in VALUES[3, 0, 40:])
    assert str(VALUES[3, 0, 39]) not in text

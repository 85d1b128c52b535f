"""Each test file of other projects is read as an independent reader reads it, or is on the list of those that are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.memory import forget_peak, peak_nbytes
from tests.proofs.corpora.examine import examine
from tests.proofs.corpora.outcomes import FOLDER, files, listed, name_of, reasons_of

FILES = files()
LISTED = listed()
ROOM = 1 << 30
"""More memory than any of the files justifies, with what the other readers need."""

pytestmark = [
    pytest.mark.campaign,
    pytest.mark.skipif(not FILES, reason="packaging/corpora.py has fetched no files of other projects"),
    pytest.mark.filterwarnings("ignore"),  # of the other readers
]


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_file_is_read_as_another_reader_reads_it(path: Path) -> None:
    before = forget_peak()
    outcome = examine(path)
    name = name_of(path)
    expected = {node: reason for node, reason in LISTED.items() if node.partition("#")[0] == name}
    assert dict(reasons_of(path, outcome)) == expected
    assert peak_nbytes() - before < ROOM


def test_the_list_has_only_files_that_packages_have() -> None:
    packages = {name_of(path).partition("/")[0] for path in FILES}
    names = {name_of(path) for path in FILES}
    assert [
        node for node in LISTED if node.partition("/")[0] in packages and node.partition("#")[0] not in names
    ] == []
    assert FOLDER.is_dir()

"""``-o`` and the words of mount(8)."""

from __future__ import annotations

import pytest

from tests.zfs.mount.command_line import parse


def test_words_of_mount_8_are_ignored() -> None:
    generic = "rw,exec,noexec,suid,dev,auto,noauto,nofail,_netdev,user,users,user=me,owner,group,comment=a b,x-a=1,X-b"
    assert parse("-o", generic) == parse()


def test_commas_in_values_can_be_escaped() -> None:
    assert parse("-o", 'header="A: 1,2",ro').header == [("A", "1,2")]
    assert parse("-o", "header=A: 1\\,2,fsname=x").header == [("A", "1,2")]


def test_a_word_that_may_be_repeated_adds_up() -> None:
    namespace = parse("-o", "allow_targets=s3://b/,allow-targets=/data", "--allow-targets", "/x")
    assert namespace.allow_targets == ["s3://b/", "/data", "/x"]


@pytest.mark.parametrize(
    ("words", "said"),
    [("remount,ro", "mount it again"), ("nonsense", "no such option"), ("uid=nobody-of-this-name", "a user's name"),
     ("show=jpg", "expected some of raw,npy")],
)  # fmt: skip
def test_invalid_words_are_refused(words: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse("-o", words)
    assert said in capsys.readouterr().err

"""open_store and its options."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import pytest

from zarrcore.errors import StoreError
from zarrcore.stores import LocalStore, StoreOptions, add_store_arguments, open_store, store_options


def test_paths_and_file_urls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a b%20#c").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    expected = str(tmp_path / "a b%20#c")
    for url in (expected, tmp_path / "a b%20#c", "a b%20#c", "./a b%20#c/", "~/a b%20#c"):
        assert open_store(url).url == expected
    assert open_store(f"file://{tmp_path}/a%20b%2520%23c").url == expected
    assert open_store(f"FILE://localhost{tmp_path}").url == str(tmp_path)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("foo://x/y", "foo:// is no kind of store that is known: a path, or one of file://"),
        ("ftp://me:geheim@host/?sig=geheim", "ftp://"),
        ("file://elsewhere/x", "write file:///elsewhere/x"),
        ("s3://", "needs the name of a bucket"),
        ("gs:///x", "needs the name of a bucket"),
        ("s3://me:geheim@bucket", "credentials do not belong"),
        ("zip://foo://x", "foo://"),
    ],
)
def test_what_cannot_be_opened_is_said_in_a_sentence(url: str, said: str) -> None:
    with pytest.raises(StoreError) as caught:
        open_store(url)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("s3://bucket/x/?versionId=geheim", "s3://bucket/x"),
        ("S3://bucket", "s3://bucket"),
        ("gs://bucket/x.zip", "gs://bucket/x.zip"),
        ("az://container/a/b", "az://container/a/b"),
        (
            "abfs://container@account.dfs.core.windows.net/a",
            "abfs://container@account.dfs.core.windows.net/a",
        ),
        ("https://me:geheim@host/x?sig=geheim", "https://host/x"),
        ("https://me:geheim@host/a/x.zip?sig=geheim", "https://host/a/x.zip"),
        ("zip://s3://bucket/x.data", "s3://bucket/x.data"),
        ("memory://name", "memory://name"),
    ],
)
def test_a_url_is_shown_without_secrets(url: str, shown: str) -> None:
    store = open_store(url)
    assert store.url == shown
    assert "geheim" not in repr(store)


def test_keywords_change_options(tmp_path: Path) -> None:
    store = open_store(tmp_path, options=StoreOptions(follow_links=True))
    assert isinstance(store, LocalStore)
    assert store.follow_links
    assert not open_store(tmp_path, options=StoreOptions(follow_links=True), follow_links=False).follow_links
    with pytest.raises(TypeError):
        open_store(tmp_path, no_such_option=True)


def parse(*arguments: str) -> StoreOptions:
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_store_arguments(parser)
    return store_options(parser.parse_args(arguments))


def test_the_command_line_gives_the_same_options(tmp_path: Path) -> None:
    assert parse() == StoreOptions()
    (tmp_path / "secret").write_text("Bearer geheim\n")
    options = parse(
        *(
            "--anonymous",
            "--endpoint-url",
            "http://x",
            "--region",
            "r",
            "--profile",
            "p",
            "--header",
            "A: b: c",
        ),
        *(
            "--header",
            f"Authorization: @{tmp_path}/secret",
            "--ca-bundle",
            "f",
            "--requester-pays",
            "--timeout",
            "2.5",
        ),
        *("--retries", "0", "--follow-links", "--treat-403-as-missing"),
    )
    assert options == StoreOptions(
        anonymous=True,
        endpoint_url="http://x",
        region="r",
        profile="p",
        headers={"A": "b: c", "Authorization": "Bearer geheim"},
        ca_bundle="f",
        requester_pays=True,
        timeout_s=2.5,
        retries=0,
        follow_links=True,
        treat_403_as_missing=True,
    )
    assert "geheim" not in repr(options)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--timeout", "0"),
        ("--timeout", "nan"),
        ("--timeout", "soon"),
        ("--retries", "-1"),
        ("--retries", "1.5"),
        ("--header", "no colon"),
        ("--header", ": value"),
        ("--header", f"A: @{os.devnull}/absent"),
    ],
)
def test_wrong_options_are_refused(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises((argparse.ArgumentError, SystemExit)):
        parse(*arguments)

"""``zarrscope``: finds the sub-commands, runs one, and turns errors into one line.

Sub-commands register through the entry-point group ``zarrscope.commands``. Each entry is a function that gets argparse's
sub-parsers, adds its own and sets ``run``, a function of the parsed arguments that returns the exit status. They import heavy
modules when they run, so that ``--help`` is fast.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any, TextIO

from zarrcore.cli.completion import answer_shell
from zarrcore.cli.parser import CommandParser, Parser, add_debug_argument
from zarrcore.cli.text import printable
from zarrcore.errors import SelectionError, UnsupportedError, ZarrError
from zarrcore.extensions import entry_points
from zarrcore.printable import did_you_mean

_ASKED_KINDS = ("file type", "format")  # errors that only a wrong command line causes
_ORDER = (
    "tree",
    "info",
    "du",
    "find",
    "ls",
    "cat",
    "log",
    "diff",
    "checksum",
    "copy",
    "create",
    "set",
    "pyramid",
    "convert",
    "consolidate",
    "mv",
    "rm",
    "check",
    "reference",
    "mount",
    "umount",
    "serve",
    "browse",
    "doctor",
    "completion",
)
_EPILOG = """\
SOURCE is a path or URL: a directory, a .zip or .ozx file, s3://bucket/prefix, gs://, az://, http(s)://, sqlite://FILE,
lmdb://PATH, redis://HOST/0?prefix=zarr, or anything that fsspec supports, for instance ftp:// and sftp://.
Sources are also HDF5, NetCDF, TIFF, NIfTI and NRRD files, kerchunk references, Icechunk and Neuroglancer data.
A folder or bucket that contains several hierarchies is shown, checked, mounted and browsed as one tree.
SOURCE#/node/path names a node in it.  zarrscope COMMAND --help describes a command."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line. Exit status: 0 done, 1 the data is at fault or missing, 2 the command line is wrong."""
    _prepare_streams()
    namespace = argparse.Namespace(debug=False)
    try:
        try:
            return _run(sys.argv[1:] if arguments is None else arguments, namespace)
        finally:
            _finish_output()
    except ZarrError as error:
        return max(_report(error, str(error), namespace.debug), getattr(namespace, "error_status", 1))
    except BrokenPipeError:
        return 0  # the reader of the output has seen enough
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        return _report(error, f"{error.strerror or error}{where}", namespace.debug)
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130
    except Exception as error:  # noqa: BLE001 - a fault of ours is told in one line too
        sentence = f"this should not have happened, please report it ({type(error).__name__}: {error})"
        return _report(error, sentence, namespace.debug)


def _run(arguments: Sequence[str], namespace: argparse.Namespace) -> int:
    command = _command_in(arguments)
    parser = command_parser(command)
    answer_shell(parser)
    known = [point.name for point in entry_points("zarrscope.commands")]
    if command is not None and command not in known:
        hint = did_you_mean(command, known) or ": zarrscope --help lists all"
        parser.error(f"unknown command {command!r}{hint}")
    parser.parse_args(arguments, namespace)
    if namespace.version:
        _print_version(verbose=namespace.verbose)
        return 0
    if namespace.command is None:
        parser.print_help()
        return 2
    return int(namespace.run(namespace))


def _print_version(*, verbose: bool) -> None:
    """The version, or all versions that matter for a report of a problem."""
    if not verbose:
        from zarrcore import __version__

        print(f"zarrscope {__version__}")
        return
    from zarrcore.diagnosis import all_versions  # late: for a fast start

    for name, number in all_versions().items():
        print(f"{name} {number}")


def _prepare_streams() -> None:
    """Escape names that the terminal's encoding cannot show, instead of failing."""
    if sys.stdout is None:  # closed by the caller
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - it stays open as long as the process lives
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _finish_output() -> None:
    """Write what is left of the output; some file systems report that they are full only when a file is closed.

    Raises:
        OSError: the output is incomplete.
    """
    try:
        sys.stdout.flush()
        with contextlib.suppress(io.UnsupportedOperation):  # a stream without a file
            os.close(os.dup(sys.stdout.fileno()))
    except OSError:
        _discard(sys.stdout)
        raise


def _discard(stream: TextIO) -> None:
    """Drop what a stream could not write: Python would write it again at exit, and complain."""
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())


def _report(error: Exception, sentence: str, debug: bool) -> int:
    if debug:
        traceback.print_exception(error)
    try:
        print(f"zarrscope: {printable(' '.join(sentence.split()))}", file=sys.stderr, flush=True)
    except OSError:  # the disk is too full for the reason, too
        _discard(sys.stderr)
    asked = isinstance(error, SelectionError) or (
        isinstance(error, UnsupportedError) and error.kind in _ASKED_KINDS
    )
    return 2 if asked else 1


def _command_in(words: Sequence[str]) -> str | None:
    """The command that the words name, if nothing else is before it."""
    return words[0] if words and not words[0].startswith("-") and "_ARGCOMPLETE" not in os.environ else None


def command_parser(command: str | None = None) -> argparse.ArgumentParser:
    """The parser of the command line: with ``command`` alone if it is installed, which is faster, otherwise with all commands."""
    parser = Parser(
        prog="zarrscope",
        description="See inside any Zarr hierarchy, wherever it is stored.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="show the version and exit")
    parser.add_argument(
        "--verbose",
        action="store_true",
        help="with --version: also of Python, libfuse, the kernel, obstore and Qt",
    )
    add_debug_argument(parser)
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", parser_class=CommandParser
    )
    points = sorted(entry_points("zarrscope.commands"), key=lambda point: _rank(point.name))
    for point in [one for one in points if one.name == command] or points:
        try:
            known = len(commands._choices_actions)  # noqa: SLF001 - as below
            point.load()(commands)
            _check_help(commands, known)
        except Exception as error:
            what = error if isinstance(error, ImportError) else f"{type(error).__name__}: {error}"
            print(f"zarrscope: the command {point.name!r} is not available: {what}", file=sys.stderr)
            if point.name == command:
                raise SystemExit(1) from error
    return parser


def _check_help(commands: Any, known: int) -> None:
    """Make a percent sign in the one-line help of new commands mean itself where argparse cannot format it.

    Otherwise the command of one package would leave all commands without help.
    """
    for action in commands._choices_actions[known:]:  # noqa: SLF001 - argparse has no other way to it
        try:
            (action.help or "") % vars(action)
        except (ValueError, TypeError, KeyError):
            action.help = action.help.replace("%", "%%")


def _rank(name: str) -> tuple[int, str]:
    return (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)


if __name__ == "__main__":
    sys.exit(main())

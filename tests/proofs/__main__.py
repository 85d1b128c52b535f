"""Run zarrscope against random input, faults and other projects' harnesses, for hours if you like.

    packaging/prove NAME [--hours H] [--runs N] [--seed S] [--resume]
    packaging/prove --keep fuzz-NAME

The state of each suite is kept in .artefacts/proofs, also when a run is stopped; --resume goes on from there. A finding tells the
seed that repeats it.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tests.proofs.fuzz.minimise import keep
from tests.proofs.state import State
from tests.proofs.suite import Finding, Suite
from tests.proofs.suites import SUITES
from tests.proofs.trials import ROOT, run_trials, seeds_from

PLACE = ROOT / ".artefacts" / "proofs"
_SAVE_EACH_S = 10.0
_TELL_EACH_S = 60.0


def main(words: Sequence[str] | None = None, place: Path = PLACE) -> int:
    """Run what the command line names; the status is 1 if something was found."""
    arguments = _parse(words)
    if arguments.list:
        width = max(map(len, SUITES))
        for suite in SUITES.values():
            print(f"{suite.name:{width}}  {suite.about} ({_of_goal(suite)})")
        return 0
    if arguments.keep:
        for name in arguments.names:
            print(keep(name.removeprefix("fuzz-")))
        return 0
    states = [_prove(SUITES[name], arguments, place) for name in arguments.names]
    if arguments.json:
        print(json.dumps([asdict(state) for state in states], indent=2))
    return int(any(state.findings for state in states))


def _parse(words: Sequence[str] | None) -> argparse.Namespace:
    assert __doc__
    parser = argparse.ArgumentParser(
        prog="packaging/prove",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help='suites, or "all"; --list tells them')
    parser.add_argument("--list", action="store_true", help="tell the suites and end")
    parser.add_argument(
        "--hours", type=float, default=0.1, metavar="H", help="stop each suite after this time (default: 0.1)"
    )
    parser.add_argument("--runs", type=int, metavar="N", help="stop each suite after this number of trials")
    parser.add_argument(
        "--seed", type=int, metavar="S", help="the first seed (default: 0, or that of the state)"
    )
    parser.add_argument("--resume", action="store_true", help="go on from the kept state")
    parser.add_argument(
        "--keep",
        action="store_true",
        help="do not run fuzz-NAME, but choose from its corpus the inputs that the tests replay",
    )
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)), metavar="N")
    parser.add_argument("--json", action="store_true", help="write the states as JSON")
    arguments = parser.parse_args(words)
    if arguments.names == ["all"]:
        arguments.names = list(SUITES)
    unknown = [name for name in arguments.names if name not in SUITES]
    if unknown:
        parser.error(f"no suite named {unknown[0]!r}; there are {', '.join(SUITES)}")
    if arguments.keep and not all(name.startswith("fuzz-") for name in arguments.names):
        parser.error("--keep is for the suites fuzz-NAME")
    if not arguments.names and not arguments.list:
        parser.error("name a suite; --list tells them")
    if arguments.hours <= 0 or arguments.processes < 1 or (arguments.runs or 1) < 1:
        parser.error("--hours, --runs and --processes need a number above 0")
    return arguments


def _prove(suite: Suite, arguments: argparse.Namespace, place: Path) -> State:
    if suite.lasts:
        seconds = arguments.hours * 3600
        words = (*suite.words, f"{seconds:g}")
        suite = dataclasses.replace(suite, words=words, limit_s=seconds + suite.limit_s)
        arguments = argparse.Namespace(**vars(arguments) | {"runs": 1, "processes": 1})
    path = place / f"{suite.name}.json"
    if suite.missing:
        print(f"{suite.name}: {suite.missing}", file=sys.stderr)
        return State(suite.name)
    state = _kept(path, suite) if arguments.resume else State(suite.name)
    if arguments.seed is not None:
        state.seed = arguments.seed
    console = Console(stderr=True, highlight=False)
    began_s = time.monotonic()
    seconds_before, units_before = state.seconds, state.units
    told_s = saved_s = began_s

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of " + _of_goal(suite)),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
    ) as progress:
        bar = progress.add_task(suite.name, total=suite.goal, completed=state.units)

        def tell(seed: int, result: int | Finding) -> None:
            nonlocal told_s, saved_s
            state.add(seed, result)
            now_s = time.monotonic()
            state.seconds = seconds_before + now_s - began_s
            if isinstance(result, Finding):
                console.print(f"{suite.name}: {result.line()}", markup=False)
            if isinstance(result, Finding) or now_s - saved_s > _SAVE_EACH_S:
                state.save(path)
                saved_s = now_s
            progress.update(bar, completed=state.units)
            if not console.is_terminal and now_s - told_s > _TELL_EACH_S:
                console.print(_line(suite, state), markup=False)
                told_s = now_s

        try:
            until_s = began_s + arguments.hours * 3600
            run_trials(suite, seeds_from(state.seed, arguments.runs), until_s, arguments.processes, tell)
        finally:
            state.seconds = seconds_before + time.monotonic() - began_s
            state.save(path)
    rate = (state.units - units_before) / max(time.monotonic() - began_s, 1e-9)
    console.print(f"{_line(suite, state)}; {rate:,.0f} {suite.unit} per second", markup=False)
    for finding in state.findings:
        console.print(f"  packaging/prove {suite.name} --seed {finding.seed} --runs 1", markup=False)
    return state


def _kept(path: Path, suite: Suite) -> State:
    try:
        return State.load(path)
    except FileNotFoundError:
        return State(suite.name)
    except ValueError as error:
        raise SystemExit(f"packaging/prove: {error}; remove it to begin anew") from None


def _of_goal(suite: Suite) -> str:
    return f"{'all' if suite.goal is None else format(suite.goal, ',')} {suite.unit}"


def _line(suite: Suite, state: State) -> str:
    return (
        f"{suite.name}: {state.units:,} of {_of_goal(suite)} in {state.trials:,} trials and "
        f"{state.seconds / 60:,.1f} minutes; {len(state.findings)} findings"
    )


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)

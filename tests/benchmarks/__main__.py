"""Measure arrays, copies, files, datasets of xarray, layers of napari, mounts, the browser and a cluster, beside their peers.

    python -m tests.benchmarks [WORKLOAD …] [--only KIND] [--rounds N] [--json FILE] [--markdown] [--publish]
    python -m tests.benchmarks [WORKLOAD …] [--only KIND] --compare BASE

A ratio is the best peer's time divided by zarrscope's in each round: above 1, zarrscope is faster. The spread is over the rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from tests.benchmarks import (
    archives,
    arrays,
    browser,
    cluster,
    comparison,
    copying,
    datasets,
    distance,
    everyday,
    layers,
    mount,
    scale,
)
from tests.benchmarks.fairness import chosen, keep_bytecode, turns
from tests.benchmarks.own_process import in_new_process
from tests.benchmarks.publication import ARRAYS, group_of, incomplete, publish, tables
from tests.benchmarks.results import OURS, Result, described_machine, machine
from tests.benchmarks.workloads import WORKLOADS, WRITE, Workload, write_missing
from tests.servers.distant import Distance

ROUNDS = 5


def main() -> int:
    arguments = parse()
    workloads = tuple(workload for workload in WORKLOADS if workload.name in arguments.workloads)
    folder = arguments.folder or Path(tempfile.gettempdir()) / f"zarrscope-benchmarks-{os.getuid()}"
    keep_bytecode(folder)
    if arguments.compare:
        comparison.build_engine(comparison.ROOT)
        return comparison.main(arguments.compare, parts(arguments), folder, arguments.rounds, arguments.json)
    rounds, peers = arguments.rounds or ROUNDS, not arguments.no_peers
    sources = {mount.NAME: "w2", cluster.NAME: cluster.SOURCE}
    needed = {sources.get(name, name) for name in arguments.workloads}
    needed.update(copying.NEEDED if copying.NAME in arguments.workloads else [])
    write_missing(folder, tuple(workload for workload in WORKLOADS if workload.name in needed))
    results: list[Result] = []
    finished: list[str] = []
    print(described_machine(), flush=True)
    if distance.NAME in arguments.workloads:
        far = arguments.distance
        found = [*everyday.measure(folder, rounds, peers, far, arguments.scene or ())]
        print(f"\n{everyday.describe(far)}\n\n{everyday.table(found)}", flush=True)
    try:
        for group, heading, measured in sections(arguments, workloads, folder, rounds, peers):
            print(f"\n{heading}", flush=True)
            for result in measured:
                results.append(result)
                if group != ARRAYS:
                    target = f" ({result.target})" if result.target else ""
                    print(f"  {result.describes}{target}")
                print(result.text(), flush=True)
            finished.append(group)
    finally:  # what was measured is kept, also if a section fails
        keep(arguments, results, finished)
    return 0


def sections(
    arguments: argparse.Namespace, workloads: tuple[Workload, ...], folder: Path, rounds: int, peers: bool
) -> Iterator[tuple[str, str, Iterable[Result]]]:
    """The group, the heading and the results of each chosen section, measured while they are iterated over."""
    only = arguments.only
    for workload in workloads:
        found = arrays.measure(workload, folder, rounds, only or arrays.KINDS, peers)
        yield ARRAYS, f"{workload.name}  {workload.describes}", found
    if distance.NAME in arguments.workloads and not arguments.scene:
        found = distant(folder, rounds, peers, arguments.distance)
        yield distance.NAME, f"{distance.NAME}  a server over {arguments.distance}\n", found
    if mount.NAME in arguments.workloads:
        kinds = only or ((*mount.KINDS, *mount.LONG_KINDS) if arguments.publish else mount.KINDS)
        found = mount.measure(folder, rounds, kinds, peers)
        yield mount.NAME, f"{mount.NAME}  one directory, mounted by each library\n", found
    if browser.NAME in arguments.workloads:
        found = browser.measure(folder, rounds, only or browser.KINDS)
        yield browser.NAME, f"{browser.NAME}  the window, without a screen\n", found
    if copying.NAME in arguments.workloads:
        found = copying.measure(folder, rounds, only or copying.KINDS, peers)
        yield copying.NAME, f"{copying.NAME}  arrays, copied and checked\n", found
    if archives.NAME in arguments.workloads:
        found = archives.measure(folder, rounds, only or archives.KINDS, peers)
        yield archives.NAME, f"{archives.NAME}  HDF5, NetCDF-4 and TIFF files\n", found
    if datasets.NAME in arguments.workloads:
        found = datasets.measure(folder, rounds, only or datasets.KINDS, peers)
        yield datasets.NAME, f"{datasets.NAME}  datasets of xarray\n", found
    if layers.NAME in arguments.workloads:
        found = layers.measure(folder, rounds, only or layers.KINDS, peers)
        yield layers.NAME, f"{layers.NAME}  layers of napari\n", found
    if scale.NAME in arguments.workloads:
        found = scale.measure(min(rounds, scale.ROUNDS), only or scale.KINDS)
        yield scale.NAME, f"{scale.NAME}  large sizes, from stores that answer by arithmetic\n", found
    if cluster.NAME in arguments.workloads:
        found = cluster.measure(folder, min(rounds, cluster.ROUNDS), only or cluster.KINDS)
        heading = f"{cluster.NAME}  workers of a Dask cluster on this machine, one thread each\n"
        yield cluster.NAME, heading, found


def keep(arguments: argparse.Namespace, results: list[Result], finished: Collection[str]) -> None:
    """Write, print and publish the results as the arguments say; only tables of finished sections are published."""
    if arguments.json:
        document = {"machine": machine(), "results": [result.document() for result in results]}
        arguments.json.write_text(json.dumps(document, indent=2) + "\n")
    if arguments.markdown:
        print("\n", "\n\n".join(tables(results).values()), sep="")
    if arguments.publish:
        whole = [result for result in results if group_of(result) in finished]
        if missing := incomplete(whole):
            raise SystemExit(f"not published, because these were not measured: {missing}")
        for page in publish(tables(whole)):
            print(f"published in {page}")


def parse() -> argparse.Namespace:
    sections = (
        distance.NAME,
        mount.NAME,
        browser.NAME,
        copying.NAME,
        archives.NAME,
        datasets.NAME,
        layers.NAME,
        scale.NAME,
        cluster.NAME,
    )
    names = [*(workload.name for workload in WORKLOADS), *sections]
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__.split("\n")[0])
    parser.add_argument(
        "workloads", nargs="*", metavar="WORKLOAD", help=f"one or more of {', '.join(names)} (default: all)"
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=sorted(
            {
                *arrays.KINDS,
                *mount.KINDS,
                *mount.LONG_KINDS,
                *browser.KINDS,
                *copying.KINDS,
                *archives.KINDS,
                *datasets.KINDS,
                *layers.KINDS,
                *scale.KINDS,
                *cluster.KINDS,
            }
        ),
        help="measure only this kind; may be repeated; because they take minutes, only this or --publish measures "
        + ", ".join(mount.LONG_KINDS),
    )
    parser.add_argument(
        "--folder", type=Path, help="folder for the arrays (default: in the temporary folder)"
    )
    parser.add_argument(
        "--rounds",
        type=int,
        help=f"number of rounds (default: {ROUNDS}; with --compare, at most {comparison.ROUNDS})",
    )
    parser.add_argument(
        "--delay",
        type=float,
        default=Distance.delay_s * 1e3,
        metavar="MS",
        help="of the server (default: %(default)g)",
    )
    parser.add_argument(
        "--bandwidth",
        type=float,
        default=0.0,
        metavar="MIB",
        help="MiB a second that all connections to the server share, in each direction (default: no limit)",
    )
    parser.add_argument(
        "--scene",
        action="append",
        choices=[scene.describes for scene in everyday.scenes()],
        help="of what is measured at a distance, only this scene of everyday acts; may be repeated",
    )
    parser.add_argument("--no-peers", action="store_true", help="measure zarrscope alone")
    parser.add_argument(
        "--compare",
        metavar="BASE",
        help="compare zarrscope with an earlier commit, with another checkout, or with what --json wrote earlier: fails if "
        f"a row became slower than {comparison.LIMIT:g} of the base's speed, and not by chance",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all measurements")
    parser.add_argument("--markdown", action="store_true", help="print the tables at the end")
    parser.add_argument(
        "--publish", action="store_true", help="put the tables into the documentation (core/docs)"
    )
    arguments = parser.parse_args()
    for name in arguments.workloads:
        if name not in names:
            parser.error(f"no workload {name!r}; there are {', '.join(names)}")
    arguments.workloads = arguments.workloads or names
    arguments.distance = Distance(arguments.delay / 1e3, arguments.bandwidth * 2**20)
    if arguments.publish and arguments.distance != Distance():
        parser.error("what is published is measured at the usual distance")
    return arguments


def parts(arguments: argparse.Namespace) -> Iterator[tuple[str, str | None]]:
    """The chosen workloads and, where they have kinds, each chosen kind."""
    kinds = {workload.name: workload.kinds for workload in WORKLOADS}
    kinds |= {
        mount.NAME: (*mount.KINDS, *mount.LONG_KINDS),
        browser.NAME: browser.KINDS,
        copying.NAME: copying.KINDS,
        scale.NAME: scale.KINDS,
        cluster.NAME: cluster.KINDS,
    }
    wanted = arguments.only or {
        *arrays.KINDS,
        *mount.KINDS,
        *browser.KINDS,
        *copying.KINDS,
        *scale.KINDS,
        *cluster.KINDS,
    }
    for name in arguments.workloads:
        if name in kinds:
            yield from ((name, kind) for kind in kinds[name] if kind in wanted)
        else:
            yield name, None


def distant(folder: Path, rounds: int, peers: bool, far: Distance) -> Iterator[Result]:
    """Time all libraries for each task at a distance; an extra round, not counted, compares their results."""
    with distance.served(folder, far) as url:
        for task in distance.tasks():
            acts = chosen(task.acts, peers)
            seconds: dict[str, list[float]] = {name: [] for name in acts}
            requests: dict[str, int] = {}
            expected = ""
            for turn, name in turns(rounds, acts):
                distance.count(url)
                digest, taken_s = in_new_process(distance.timed, acts[name], f"{url}#{task.hierarchy}")
                requests[name] = distance.count(url)
                if task.what == WRITE:
                    digest = distance.written(folder)
                expected = expected or digest
                if digest not in ("", expected):
                    raise SystemExit(f"{name} reads or writes different values than {OURS}")
                if turn:
                    seconds[name].append(taken_s)
            yield Result(
                distance.NAME, task.describes, task.what, task.nbytes, seconds, requests, task.target
            )


if __name__ == "__main__":
    sys.exit(main())

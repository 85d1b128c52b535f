"""``zarrscope pyramid``: coarser levels of an image."""

from __future__ import annotations

import argparse
import json
import math
import sys
from typing import TYPE_CHECKING, Any, Final

from zarrcore.cli.changing.target import add_path_argument, open_target, path_in
from zarrcore.cli.scheduler import add_memory_argument, add_scheduler_argument, scheduler
from zarrcore.cli.source import add_source_arguments
from zarrcore.cli.store_arguments import positive
from zarrcore.cli.text import printable
from zarrcore.sizes import format_shape, parse_number

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from zarrcore.operations.pyramid import PyramidPlan, Wanted

_METHODS: Final = ("mean", "mode", "nearest")
_DESCRIPTION = """\
Make coarser levels of an image: of an array, beside it, so that its group becomes an OME-Zarr image (version 0.5 in Zarr v3, 0.4
in v2); or of such an image, which gets more levels. Only spatial axes are reduced. Nothing is replaced. The levels are
described when all are finished; run the same command again to resume an interrupted one."""


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "pyramid",
        help="make coarser levels of an image (OME-Zarr)",
        description=_DESCRIPTION,
        examples=(
            "pyramid brain.zarr anatomical --dry-run --levels 2",
            "pyramid image.zarr cells --method nearest --factors 2",
            "pyramid image.zarr labels/cells",
        ),
    )
    add_source_arguments(parser, path=False)
    add_path_argument(parser, "path", "path of an array, or of a group that is an image")
    parser.add_argument(
        "--method",
        choices=_METHODS,
        help="how elements are reduced (default: mode for labels and bool, else mean)",
    )
    parser.add_argument(
        "--factors",
        type=_factors,
        metavar="N,N,…",
        help="one factor for all spatial axes (default: 2), or one per axis",
    )
    parser.add_argument(
        "--levels",
        type=positive,
        metavar="N",
        help="new levels (default: until no spatial axis is longer than 512)",
    )
    parser.add_argument(
        "--axes", type=_names, metavar="NAME,…", help="axes of an array without names, such as t,c,z,y,x"
    )
    parser.add_argument(
        "--scale", type=_numbers, metavar="X,X,…", help="distance of elements, per axis (default: 1)"
    )
    parser.add_argument("--unit", metavar="NAME", help="unit of the spatial axes, such as micrometer")
    add_memory_argument(parser, "blocks in flight")
    add_scheduler_argument(parser)
    parser.add_argument("--dry-run", action="store_true", help="show the levels that would be made")
    parser.add_argument("--quiet", action="store_true", help="show only errors")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.set_defaults(run=run)


def _factors(text: str) -> tuple[int, ...]:
    return tuple(map(positive, text.split(",")))


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


def _numbers(text: str) -> tuple[float, ...]:
    try:
        numbers = tuple(map(parse_number, text.split(",")))
    except ValueError:
        numbers = ()
    if not numbers or not all(0 < number < math.inf for number in numbers):
        raise argparse.ArgumentTypeError(f"expected numbers above 0 such as 2,0.5,0.5, found {text!r}")
    return numbers


def run(namespace: argparse.Namespace) -> int:
    """Make the levels; when interrupted, say how to resume."""
    from zarrcore.cli.progress import progress_bar
    from zarrcore.operations.pyramid import build, check_places, plan_pyramid

    try:
        with open_target(namespace) as hierarchy:
            plan = plan_pyramid(hierarchy, path_in(namespace, namespace.path), _wanted(namespace))
            if namespace.dry_run:
                check_places(hierarchy, plan)
            elif plan.levels:
                with (
                    scheduler(namespace) as run_work,
                    progress_bar(quiet=namespace.quiet, of_bytes=True) as report,
                ):
                    build(hierarchy, plan, memory_nbytes=namespace.memory, progress=report, run_work=run_work)
    except KeyboardInterrupt:
        print("\nzarrscope: interrupted: run the same command again to resume", file=sys.stderr)
        return 130
    if namespace.json:
        print(json.dumps(_told(plan)))
    elif not namespace.quiet:
        _print(plan, is_draft=namespace.dry_run)
    return 0


def _wanted(namespace: argparse.Namespace) -> Wanted:
    from zarrcore.operations.pyramid import Wanted

    return Wanted(
        namespace.method, namespace.factors, namespace.levels, namespace.axes, namespace.scale, namespace.unit
    )


def _told(plan: PyramidPlan) -> dict[str, Any]:
    datasets = plan.image.datasets[len(plan.image.datasets) - len(plan.levels) :]
    return {
        "path": plan.group_path,
        "convention": "ome-ngff",
        "convention_version": plan.image.version,
        "method": plan.method,
        "levels": [
            {
                "path": level.path,
                "shape": list(level.metadata.shape),
                "scale": list(dataset.scale),
                "translation": list(dataset.translation),
            }
            for level, dataset in zip(plan.levels, datasets, strict=True)
        ],
    }


def _print(plan: PyramidPlan, *, is_draft: bool) -> None:
    if not plan.levels:
        print(f"{printable(plan.group_path)}: no further level is needed; --levels asks for some")
        return
    for level in plan.levels:
        print(f"{printable(level.path)}  {format_shape(level.metadata.shape)}")
    made = "would be made" if is_draft else "made"
    levels = "1 level" if len(plan.levels) == 1 else f"{len(plan.levels)} levels"
    print(f"{levels} {made} by {plan.method}; {printable(plan.group_path)} is OME-Zarr {plan.image.version}")

"""Run a state machine of Hypothesis with the choices of one seed."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test


def run_machine(
    machine: type[RuleBasedStateMachine], number: int, runs: int, steps: int, *, shrinks: bool = True
) -> None:
    """Run the machine several times, with at most so many steps each.

    Args:
        machine: the class.
        number: determines all choices.
        runs: how often to begin anew.
        steps: the most steps of one run.
        shrinks: look for the shortest course that fails. That takes minutes where each step is slow.

    Raises:
        Whatever the machine raises; a note has its steps.
    """
    phases = (Phase.generate, Phase.shrink) if shrinks else (Phase.generate,)
    run_state_machine_as_test(
        seed(number)(type(machine.__name__, (machine,), {})),
        settings=settings(
            max_examples=runs,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            derandomize=False,
            phases=phases,
            print_blob=False,
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        ),
    )

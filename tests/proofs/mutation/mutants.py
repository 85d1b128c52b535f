"""All changes of a source that the tests must notice, made by cosmic-ray's operators."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator

_COMPARISONS: Final = ("Eq_NotEq", "NotEq_Eq", "Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt", "Is_IsNot", "IsNot_Is")
_ARITHMETIC: Final = (
    *("Add_Sub", "Sub_Add", "Mul_FloorDiv", "FloorDiv_Mul", "Mod_FloorDiv", "Div_Mul"),
    *("BitAnd_BitOr", "BitOr_BitAnd", "LShift_RShift", "RShift_LShift"),
)
_OTHERS: Final = (
    *(
        "NumberReplacer",
        "AddNot",
        "ReplaceTrueWithFalse",
        "ReplaceFalseWithTrue",
        "ReplaceAndWithOr",
        "ReplaceOrWithAnd",
    ),
    *(
        "ReplaceBreakWithContinue",
        "ReplaceContinueWithBreak",
        "ReplaceUnaryOperator_Delete_Not",
        "ZeroIterationForLoop",
    ),
)
OPERATORS: Final = (
    *(f"core/ReplaceComparisonOperator_{name}" for name in _COMPARISONS),
    *(f"core/ReplaceBinaryOperator_{name}" for name in _ARITHMETIC),
    *(f"core/{name}" for name in _OTHERS),
)


@dataclass(frozen=True)
class Mutant:
    """A source with one change.

    Args:
        source: the whole source.
        line: the number of the first changed line.
        before: this line without indentation.
        after: the changed line.
    """

    source: str
    line: int
    before: str
    after: str


def mutants(source: str) -> Iterator[Mutant]:
    """Every mutant of a source that means something else, in a fixed order."""
    original, meaning = source.splitlines(), _meaning(source)
    for name in OPERATORS:
        operator = get_operator(name)()
        for occurrence in itertools.count():
            changed = mutate_code(source, operator, occurrence)
            if changed is None:
                break
            try:
                if _meaning(changed) == meaning:
                    continue
            except SyntaxError:
                continue
            lines = changed.splitlines()
            number = next(
                n for n, pair in enumerate(itertools.zip_longest(original, lines)) if pair[0] != pair[1]
            )
            yield Mutant(changed, number + 1, original[number].strip(), lines[number].strip())


class _Meaning(ast.NodeTransformer):
    """What is left of a source without annotations, which are not evaluated, and without help for programmers.

    ``zip(…, strict=True)`` only reports mistakes of the caller, and slots only save memory.
    """

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node.keywords = [word for word in node.keywords if word.arg not in ("slots", "strict")]
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)


def _meaning(source: str) -> str:
    return ast.dump(_Meaning().visit(ast.parse(source)))

"""Templates and generators of reference documents, version 1.

Texts contain expressions in double braces, as in Jinja: names, numbers, texts, arithmetic, ``%`` and ``.format`` of texts, and
calls of templates with named arguments. Nothing else is evaluated, and sizes are bounded, because documents are not trusted.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from typing import Any, Final

MAX_GENERATED: Final = 1_000_000
_MAX_TEXT: Final = 4096
_MAX_DEPTH: Final = 10
_MAX_NUMBER: Final = 1 << 80
_EXPRESSION: Final = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_PLACEHOLDER: Final = re.compile(r"%(?:%|0?\d{0,2}[dxs])|%")
_FORMATTED: Final = re.compile(r"\{\d?(?::0?\d{0,2}[dxs]?)?\}|[{}]")
_OPERATORS: Final[dict[type, Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
Names = Mapping[str, Any]
_Part = Callable[[Names, int], Any]


class TemplateError(ValueError):
    """A template that cannot be rendered; the text says why."""


class Templates:
    """The templates of a document.

    Args:
        texts: by name.

    Raises:
        TemplateError: a template is not a text.

    >>> templates = Templates({"u": "s3://bucket", "f": "{{u}}/{{c}}.nc"})
    >>> templates.render("{{u}}/x"), templates.render("{{f(c='y')}}"), templates.render("{{i * 2}}", {"i": 4})
    ('s3://bucket/x', 's3://bucket/y.nc', '8')
    """

    def __init__(self, texts: Any) -> None:
        if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
            raise TemplateError("templates must be an object of texts")
        self._texts: dict[str, str] = texts

    def render(self, text: str, names: Names | None = None) -> str:
        """A text with its expressions replaced by their values.

        Raises:
            TemplateError: an expression is unknown, or gives too long a text.
        """
        return self._rendered(text, names or {}, 0)

    def _rendered(self, text: str, names: Names, depth: int) -> str:
        if depth > _MAX_DEPTH:
            raise TemplateError(f"templates are nested deeper than {_MAX_DEPTH}")
        if "{%" in text or "{#" in text:
            raise TemplateError("statements and comments of Jinja are not supported")
        parts, nbytes = [], 0
        for part in _parts(text):
            value = part if isinstance(part, str) else self._value(part, names, depth)
            parts.append(str(value))
            nbytes += len(parts[-1])
            if nbytes > _MAX_TEXT:
                raise TemplateError(f"a rendered text has more than {_MAX_TEXT:,} characters")
        return "".join(parts)

    def _value(self, node: ast.expr, names: Names, depth: int) -> Any:
        match node:
            case ast.Constant(value=int() | float() | str() as value):
                return value
            case ast.Name(id=name):
                if name in names:
                    return names[name]
                if name in self._texts:
                    return self._rendered(self._texts[name], names, depth + 1)
                raise TemplateError(f"{name!r} is not defined")
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return _number(-_number(self._value(operand, names, depth)))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return _operation(op, self._value(left, names, depth), self._value(right, names, depth))
            case ast.Call(func=ast.Name(id=name), args=[], keywords=keywords) if name in self._texts:
                given = {word.arg or "": self._value(word.value, names, depth) for word in keywords}
                return self._rendered(self._texts[name], {**names, **given}, depth + 1)
            case ast.Call(func=ast.Attribute(value=form, attr="format"), args=arguments, keywords=[]):
                text = self._value(form, names, depth)
                if not isinstance(text, str) or any(found in "{}" for found in _FORMATTED.findall(text)):
                    raise TemplateError("a text to format may only have plain placeholders, such as {:03d}")
                return _applied(text.format, *(self._value(each, names, depth) for each in arguments))
        raise TemplateError(f"the expression {ast.unparse(node)[:60]!r} is not supported")


@lru_cache(1000)
def _parts(text: str) -> list[str | ast.expr]:
    """Texts and expressions by turns."""
    if len(text) > _MAX_TEXT:
        raise TemplateError(f"a template has more than {_MAX_TEXT:,} characters")
    parts: list[str | ast.expr] = []
    for number, part in enumerate(_EXPRESSION.split(text)):
        if number % 2 == 0:
            parts.append(part)
            continue
        try:
            parts.append(ast.parse(part.strip(), mode="eval").body)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise TemplateError(f"{part[:60]!r} is not an expression") from error
    return parts


def _operation(op: ast.operator, left: Any, right: Any) -> Any:
    if isinstance(left, str):
        if isinstance(op, ast.Mod):
            if "%" in _PLACEHOLDER.findall(left):
                raise TemplateError("a text to format may only have plain placeholders, such as %03d")
            return _applied(left.__mod__, right)
        if not isinstance(op, ast.Add) or not isinstance(right, str) or len(left) + len(right) > _MAX_TEXT:
            raise TemplateError("texts can only be joined by +")
        return left + right
    return _number(_applied(_OPERATORS[type(op)], _number(left), _number(right)))


def _applied(function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        result = function(*arguments)
    except (ArithmeticError, ValueError, TypeError, LookupError) as error:
        raise TemplateError(str(error)) from error
    if result is NotImplemented:
        raise TemplateError("a text cannot be formatted with this value")
    return result


def _number(value: Any) -> Any:
    if not isinstance(value, int | float):
        raise TemplateError(f"{str(value)[:60]!r} is not a number")
    if not abs(value) < _MAX_NUMBER:
        raise TemplateError("a number is too large")
    return value


Generated = tuple[str, str, int | None, int | None]
"""Key, URL, start and length of a generated reference."""


def generated(generators: Any, templates: Templates) -> Iterator[Generated]:
    """The references that generators stand for.

    Raises:
        TemplateError: a generator is broken, or stands for too many keys.
    """
    if not isinstance(generators, list) or not all(isinstance(each, dict) for each in generators):
        raise TemplateError("gen must be an array of objects")
    left = MAX_GENERATED
    for generator in generators:
        dimensions = {name: _values(values) for name, values in _object(generator.get("dimensions")).items()}
        count = 1
        for along in dimensions.values():
            count *= len(along)
        left -= count
        if left < 0:
            raise TemplateError(f"its generators stand for more than {MAX_GENERATED:,} keys")
        key, url, start, length = (generator.get(name) for name in ("key", "url", "offset", "length"))
        if not isinstance(key, str) or not isinstance(url, str) or (start is None) != (length is None):
            raise TemplateError("a generator needs key and url, and both of offset and length or neither")
        for values in product(*dimensions.values()):
            names = dict(zip(dimensions, values, strict=True))
            place = [
                None if text is None else _offset(templates.render(str(text), names))
                for text in (start, length)
            ]
            yield templates.render(key, names), templates.render(url, names), place[0], place[1]


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TemplateError("the dimensions of a generator must be an object")
    return value


def _values(told: Any) -> range | list[Any]:
    if isinstance(told, list) and all(isinstance(value, int | float | str) for value in told):
        return told
    told = _object(told)
    numbers = [told.get("start", 0), told.get("stop"), told.get("step", 1)]
    if not all(type(number) is int and abs(number) < 1 << 62 for number in numbers) or numbers[2] == 0:
        raise TemplateError("a dimension of a generator is an array of values, or start, stop and step")
    values = range(*numbers)
    try:
        len(values)
    except OverflowError as error:
        raise TemplateError("a dimension of a generator is too long") from error
    return values


def _offset(text: str) -> int:
    if re.fullmatch(r"\s*\d{1,18}\s*", text, re.ASCII) is None:
        raise TemplateError(f"{text[:60]!r} is not an offset or length")
    return int(text)

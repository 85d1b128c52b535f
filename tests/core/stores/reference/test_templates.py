"""Templates and generators, compared with Jinja, and their bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2.sandbox import SandboxedEnvironment

from zarrcore.stores.reference.templates import TemplateError, Templates, generated

NUMBERS = st.sampled_from(["i", "j", "3", "10", "(i + 1)", "-2"])
SUMS = st.tuples(NUMBERS, st.sampled_from(["+", "-", "*", "//", "%"]), NUMBERS).map(" ".join)
EXPRESSIONS = st.one_of(
    NUMBERS,
    SUMS,
    st.sampled_from(["'%03d' % i", "'{:03d}'.format(j)", "'a' + 'b'", "u", "'%s-%d' % ", "'x'"]),
).filter(lambda text: not text.endswith("% "))


@given(
    st.lists(st.tuples(st.text("ab/:", max_size=3), EXPRESSIONS), max_size=4),
    st.integers(0, 99),
    st.integers(1, 99),
)
def test_expressions_give_what_jinja_gives(parts: list, i: int, j: int) -> None:
    text = "".join(f"{before}{{{{ {expression} }}}}" for before, expression in parts)
    names = {"i": i, "j": j}
    try:
        expected = SandboxedEnvironment().from_string(text).render(**names, u="s3://bucket")
    except ZeroDivisionError:
        with pytest.raises(TemplateError):
            Templates({}).render(text, {**names, "u": "s3://bucket"})
        return
    assert Templates({"u": "s3://bucket"}).render(text, names) == expected


@pytest.mark.parametrize(
    "text",
    [
        "{{ 9 ** 9 ** 9 }}",
        "{{ 'x' * 10000000000 }}",
        "{{ '%999999999d' % 1 }}",
        "{{ '%*d' % (9, 1) }}",
        "{{ '{:999999999d}'.format(1) }}",
        "{{ '{0.__class__}'.format(1) }}",
        "{{ ().__class__ }}",
        "{{ u.__class__ }}",
        "{{ open('/etc/passwd') }}",
        "{{ [1 for i in u] }}",
        "{{ 1 << 1000000 }}",
        "{{ " + "(" * 500 + ")" * 500 + " }}",
        "{{ 99999999999999999999999999 * 1 }}",
        "{{ 1 / 0 }}",
        "{{ 'x' % i }}",
        "{{ }}",
        "{% for i in u %}{% endfor %}",
        "x" * 5000,
    ],
)
def test_what_may_be_large_or_dangerous_is_refused_at_once(text: str) -> None:
    with pytest.raises(TemplateError):
        Templates({"u": "v"}).render(text, {"i": 3})


def test_templates_that_double_are_refused() -> None:
    texts = {"a0": "x" * 100} | {f"a{n}": f"{{{{a{n - 1}}}}}" * 10 for n in range(1, 9)}
    with pytest.raises(TemplateError, match="more than 4,096 characters"):
        Templates(texts).render("{{a8}}")


@pytest.mark.parametrize(
    "generator",
    [
        {"key": "{{i}}", "url": "x", "dimensions": {"i": {"stop": 1 << 61}, "j": {"stop": 1 << 61}}},
        {"key": "{{i}}", "url": "x", "dimensions": {"i": {"stop": 5, "step": 0}}},
        {"key": "{{i}}", "url": "x", "dimensions": {"i": {}}},
        {"key": "{{i}}", "url": "x", "dimensions": {"i": ["a", None]}},
        {"key": "{{i}}", "url": "x", "dimensions": {"i": [1]}, "offset": "3"},
        {"key": "{{i}}", "url": "x", "dimensions": {"i": [1]}, "offset": "{{-i}}", "length": "3"},
        {"url": "x", "dimensions": {"i": [1]}},
        {},
    ],
)
def test_broken_generators_are_refused(generator: dict) -> None:
    with pytest.raises(TemplateError):
        list(generated([generator], Templates({})))

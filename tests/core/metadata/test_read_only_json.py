"""JSON values that cannot be changed."""

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from zarrcore.metadata.read_only_json import changeable, read_only

VALUE = {"axes": [{"name": "y"}, {"name": "x"}], "unit": "nm", "none": None}


@pytest.mark.parametrize(
    "change",
    [
        "value['unit'] = 'm'",
        "del value['unit']",
        "value |= {'unit': 'm'}",
        "value.update(unit='m')",
        "value.setdefault('scale', 2)",
        "value.pop('unit')",
        "value.popitem()",
        "value.clear()",
        "value['axes'].append(1)",
        "value['axes'].extend([1])",
        "value['axes'].insert(0, 1)",
        "value['axes'].pop()",
        "value['axes'].remove({'name': 'y'})",
        "value['axes'].clear()",
        "value['axes'].sort(key=str)",
        "value['axes'].reverse()",
        "value['axes'][0] = 1",
        "value['axes'][0]['name'] = 'z'",
        "value['axes'] += [1]",
        "del value['axes'][0]",
        "axes = value['axes']; axes *= 2",
    ],
)
def test_no_change_is_possible(change: str) -> None:
    value = read_only(VALUE)
    with pytest.raises(TypeError, match="cannot be changed in place"):
        exec(change, {"value": value})
    assert value == VALUE


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, changeable, lambda value: pickle.loads(pickle.dumps(value))]
)
def test_a_copy_is_plain_json_that_can_be_changed(copied: Callable[[Any], Any]) -> None:
    plain = copied(read_only(VALUE))
    assert plain == VALUE
    assert type(plain) is dict
    plain["axes"] = copy.deepcopy(plain["axes"])
    plain["axes"].append(1)
    assert VALUE["axes"] == [{"name": "y"}, {"name": "x"}]


def test_it_is_a_value_like_others() -> None:
    value = read_only(VALUE)
    assert value == VALUE
    assert isinstance(value, dict)
    assert isinstance(value["axes"], list)
    assert json.dumps(value) == json.dumps(VALUE)
    assert repr(value) == repr(VALUE)
    assert value["axes"] + [1] == [*VALUE["axes"], 1]  # type: ignore[misc]
    assert copy.copy(value) == {**value}
    assert read_only(value) is value

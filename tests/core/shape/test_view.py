"""Views as values: their fields, their canonical form, their text."""

from __future__ import annotations

import copy
import gc
import gzip
import pickle
import re
import weakref
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from core.ir.uop import UOp
from core.shape import ShapeError, ShapeTracker, View
from tests.core.shape.movement import Moved, chains


def test_equal_fields_give_the_same_object() -> None:
    view = View((3, 4), (4, 1), 0, None, True)
    assert view is View((3, 4), (4, 1), 0, None, True)
    assert view is not View((3, 4), (1, 3), 0, None, False)
    assert ShapeTracker((view,)) is ShapeTracker((View((3, 4), (4, 1), 0, None, True),))


def test_a_view_that_nothing_refers_to_is_forgotten() -> None:
    view = View((3, 17), (19, 23), 29, None, False)
    reference = weakref.ref(view)
    del view
    gc.collect()
    assert reference() is None


def test_the_constructor_keeps_the_fields_as_they_are() -> None:
    view = View((1, 4), (7, 1), 2, ((0, 1), (0, 4)), False)
    assert (view.shape, view.strides, view.offset, view.mask, view.contiguous) == (
        (1, 4),
        (7, 1),
        2,
        ((0, 1), (0, 4)),
        False,
    )
    assert view.canonical() is View((1, 4), (0, 1), 2, None, False)


CANONICAL: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    "strides are row-major by default": (((2, 3), None, 0, None), ((2, 3), (3, 1), 0, None, True)),
    "an offset is not contiguous": (((2, 3), None, 1, None), ((2, 3), (3, 1), 1, None, False)),
    "an axis of size 1 has stride 0": (((3, 1), (5, 7), 0, None), ((3, 1), (5, 0), 0, None, False)),
    "a mask that hides nothing": (((2, 3), None, 0, ((0, 2), (0, 3))), ((2, 3), (3, 1), 0, None, True)),
    "a mask that leaves one row": (((2, 3), None, 5, ((1, 2), (0, 3))), ((2, 3), (0, 1), 8, ((1, 2), (0, 3)), False)),
    "a mask that hides everything": (((2, 3), None, 5, ((1, 1), (0, 3))), ((2, 3), (0, 0), 0, ((0, 0), (0, 0)), False)),
    "a mask the wrong way round": (((2, 3), None, 5, ((2, 1), (0, 3))), ((2, 3), (0, 0), 0, ((0, 0), (0, 0)), False)),
    "no elements": (((2, 0), (7, 7), 5, ((0, 1), (0, 0))), ((2, 0), (0, 0), 0, None, True)),
    "no axes": (((), None, 0, None), ((), (), 0, None, True)),
}  # fmt: skip


@pytest.mark.parametrize("name", CANONICAL)
def test_canonical_form(name: str) -> None:
    fields, canonical = CANONICAL[name]
    assert View.create(*fields) is View(*canonical)
    assert View.create(*fields).canonical() is View.create(*fields)


@given(chains())
@settings(max_examples=150)
def test_movement_ops_make_canonical_views(moved: Moved) -> None:
    for view in (*moved.tracker.views, *moved.tracker.simplify().views):
        assert view.canonical() is view


TEXTS: dict[str, View | ShapeTracker] = {
    "View(shape=(10,1),strides=(1,0),offset=0,mask=None,contiguous=True)": View.create((10, 1)),
    "View(shape=(4,),strides=(1,),offset=-1,mask=((1,4),),contiguous=False)": View.create((4,), (1,), -1, ((1, 4),)),
    "View(shape=(),strides=(),offset=0,mask=None,contiguous=True)": View.create(()),
    "ShapeTracker(views=(View(shape=(2,),strides=(1,),offset=0,mask=None,contiguous=True),))": ShapeTracker.from_shape(
        (2,)
    ),
    "ShapeTracker(views=(View(shape=(2,2),strides=(1,2),offset=0,mask=None,contiguous=False),"
    "View(shape=(4,),strides=(1,),offset=0,mask=None,contiguous=True)))": ShapeTracker.from_shape((2, 2))
    .permute((1, 0))
    .reshape((4,)),
}


@pytest.mark.parametrize("text", TEXTS)
def test_text(text: str) -> None:
    assert repr(TEXTS[text]) == text


CONTRADICTIONS: dict[str, tuple[Any, ...]] = {
    "a view of (2,3) needs a stride": ((2, 3), (3,), 0, None, False),
    "if masked, a range for each axis": ((2, 3), (3, 1), 0, ((0, 1),), False),
    "has no offset and no mask": ((2, 3), (3, 1), 4, None, True),
    "has no strides": ((2, 3), (1, 2), 0, None, True),
}


@pytest.mark.parametrize("reason", CONTRADICTIONS)
def test_fields_that_contradict_each_other_are_refused(reason: str) -> None:
    with pytest.raises(ShapeError, match=re.escape(reason)):
        View(*CONTRADICTIONS[reason])


@pytest.mark.parametrize("fields", [((2, 3), (1,), 0, None), ((2, 3), None, 0, ((0, 1),))])
def test_create_refuses_too_few_entries(fields: tuple[Any, ...]) -> None:
    with pytest.raises(ShapeError, match="1 entries given for 2 axes"):
        View.create(*fields)


@pytest.mark.parametrize("value", [View.create((2,)), ShapeTracker.from_shape((2,))])
@pytest.mark.parametrize("store", [pickle.dumps, copy.deepcopy])
def test_views_are_not_pickled(value: object, store: Any) -> None:
    with pytest.raises(TypeError, match="portable rows"):
        store(value)


def test_variables_are_those_of_every_entry() -> None:
    a, b, c = (UOp.variable(name, 1, 8) for name in "abc")
    tracker = ShapeTracker.from_shape((4, c, 8)).shrink(((0, 4), (0, c), (b, b + 1))).pad(((a, 0), (0, 0), (0, 0)))
    assert tracker.variables() == [a, b, c]
    assert ShapeTracker.from_shape((4, 4)).variables() == []


def test_reduce_leaves_one_element_of_each_axis() -> None:
    assert ShapeTracker.from_shape((2, 3, 4)).reduce((0, 2)) == (1, 3, 1)


VIEW = re.compile(
    r"View\(shape=\(([\d,]*)\),strides=\(([-\d,]*)\),offset=(-?\d+),mask=(None|\([\d,()]*\)),contiguous=(True|False)\)"
)


def _ints(text: str) -> tuple[int, ...]:
    return tuple([int(part) for part in text.split(",") if part])


def test_real_views_are_canonical(shared_data: Path) -> None:
    with gzip.open(shared_data / "asts.txt.gz", "rt") as file:
        found = {match[0]: match.groups() for line in file for match in VIEW.finditer(line)}
    assert len(found) > 20_000
    for text, (shape, strides, offset, mask, contiguous) in found.items():
        ranges = None if mask == "None" else tuple([_ints(part) for part in re.findall(r"\((\d+,\d+)\)", mask)])
        view = View(_ints(shape), _ints(strides), int(offset), ranges, contiguous == "True")  # type: ignore[arg-type]
        assert repr(view) == text
        assert view.canonical() is view

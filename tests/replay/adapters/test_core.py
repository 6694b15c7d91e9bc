"""The adapter against the real compiler: the seam holds what the harness expects of it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from replay.adapters import ImportRefused, get_adapter
from replay.outcome import Result, Status
from replay.process import WorkerProcess
from replay.record import parse_capture
from replay.wire import Request

REPOSITORY = Path(__file__).parents[3]
AST = (
    "UOp(Ops.SINK,dtypes.void,arg=None,src=(UOp(Ops.STORE,dtypes.void,arg=None,src=("
    "UOp(Ops.DEFINE_GLOBAL,dtypes.float.ptr(-1),arg=0,src=()),"
    "x2:=UOp(Ops.VIEW,dtypes.void,arg=ShapeTracker(views=(View(shape=(8,),strides=(1,),offset=0,mask=None,"
    "contiguous=True),)),src=()),UOp(Ops.NEG,dtypes.float,arg=None,src=(UOp(Ops.LOAD,dtypes.float,arg=None,src=("
    "UOp(Ops.DEFINE_GLOBAL,dtypes.float.ptr(-1),arg=1,src=()),x2,)),)),)),))"
)


def test_a_record_of_the_real_compiler_replays_to_what_was_captured() -> None:
    adapter = get_adapter("core")
    assert adapter is not None
    capture = parse_capture(adapter.record_from_text(AST, "c"))
    assert capture.inputs.backend == "c"
    assert adapter.format_ast(capture.inputs.ast).startswith("UOp(Ops.SINK")
    worker = WorkerProcess("core", REPOSITORY, 0)
    try:
        hello = worker.hello("the checkout")
        assert hello.schema >= capture.inputs.schema
        assert {"c", "llvm"} <= set(hello.backends)
        for mode in ("pinned", "free"):
            result = worker.ask(Request(capture.data, None, mode, 30.0))
            assert (result.status, result.src) == (Status.OK, capture.src)
        assert worker.ask(Request(capture.data, "llvm", "free", 30.0)).status is Status.OK
        unknown = worker.ask(Request(capture.data, "no_such_backend", "free", 30.0))
        assert (unknown.status, unknown.field) == (Status.UNSUPPORTED, "opts.backend")
    finally:
        worker.close()


@pytest.mark.parametrize("line", ["", "UOp(", "1 + 1", "__import__('os')"])
def test_a_broken_line_is_refused_in_words(line: str) -> None:
    adapter = get_adapter("core")
    assert adapter is not None
    with pytest.raises(ImportRefused) as caught:
        adapter.record_from_text(line, "c")
    assert str(caught.value)
    assert "\n" not in str(caught.value)


def test_results_have_the_shape_that_the_seam_promises() -> None:
    answer: dict[str, object] = {
        "status": "ok",
        "name": "E_8",
        "src": "x",
        "applied_opts": [["UPCAST", 0, 4]],
        "global_size": None,
        "local_size": None,
        "vars": [],
        "estimates": {},
        "ms": 1.5,
    }
    assert msgspec.convert(answer, Result).ms == 1.5


def test_other_compilers_have_no_adapter() -> None:
    assert get_adapter("triton") is None

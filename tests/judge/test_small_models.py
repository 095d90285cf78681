"""What small models said, labelled by hand before the program was asked: it tells the same classes."""

from __future__ import annotations

from msgspec.structs import replace

from tests.judge.small_models import dataset, examples, told, verdict
from toolgauge.chat import Reply, ToolCall
from toolgauge.models.dialects.table import DIALECTS
from toolgauge.models.failures import TOOL_USE_FAILED
from toolgauge.models.text_calls import parse_reply

LEAST = 0.98


def test_the_class_told_is_the_one_that_a_person_gives() -> None:
    others = [(one, told(one)[0]) for one in examples() if told(one)[0] != one.label]
    listed = "\n".join(f"{one.label}, told {name}: {one}" for one, name in others)
    assert len(others) <= (1 - LEAST) * len(examples()), listed


def test_recorded_texts_have_the_same_class_natively_and_by_dialect() -> None:
    """As a server with native calls gives them that reads what the dialect reads, and says so where it cannot."""
    for one in examples():
        if one.way == "native":
            continue
        tools = dataset(one.language).by_id[one.task.rpartition("/")[0]].tools
        native = tuple(as_server(parse_reply(reply, DIALECTS[one.way], tools)) for reply in one.replies)
        natively = verdict(replace(one, way="native", replies=native))
        found = verdict(one)
        assert (natively.label, natively.mistake) == (found.label, found.mistake), one


def as_server(read: Reply) -> Reply:
    """What a server says that reads calls itself: of a call that the limit cut off it hands on what there is."""
    if read.problem is None or not read.problem.of_a_call:
        return replace(read, problem=None, raw=None)
    if read.finish_reason == "length":
        return Reply(tool_calls=(*read.tool_calls, ToolCall("call_9", "half", "{")), finish_reason="length")
    return Reply(read.raw or read.content, finish_reason=TOOL_USE_FAILED)

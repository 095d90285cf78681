"""What small models said, labelled by hand before the program was asked: it tells the same classes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from msgspec.structs import replace

from tests.judge.small_models import dataset, examples, told, verdict
from toolgauge.chat import Reply, ToolCall
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.verdict import CORRECT
from toolgauge.models.dialects.table import DIALECTS
from toolgauge.models.failures import TOOL_USE_FAILED
from toolgauge.models.text_calls import parse_reply

RULES = Path(__file__).parents[2] / "docs" / "rules.md"
LEAST = 0.98
LEAST_OF_KINDS = 0.5
"""Most of these texts are nonsense; docs/rules.md#what-a-small-model-says."""
CLASSES = (CORRECT, *(mistake.value for mistake in Mistake))


def rows() -> list[str]:
    """The table of docs/rules.md: per class, how many are labelled so, in English and Chinese, and told so."""
    labelled = Counter((one.label, one.language) for one in examples())
    right = Counter(one.label for one in examples() if told(one)[0] == one.label)
    found = [name for name in CLASSES if labelled[name, "en"] or labelled[name, "zh"]]
    return [f"| `{name}` | {labelled[name, 'en']} | {labelled[name, 'zh']} | {right[name]} |" for name in found]


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


def test_kinds_of_texts_are_told_as_far_as_nonsense_has_one() -> None:
    texts = [one for one in examples() if one.kind]
    right = sum(told(one) == (one.label, one.kind) for one in texts)
    assert right >= LEAST_OF_KINDS * len(texts)


def test_the_table_of_the_documentation_is_what_is_measured() -> None:
    page = RULES.read_text(encoding="utf-8").splitlines()
    assert [row for row in rows() if row not in page] == []

"""Where values come from: numbers, dates and times in both languages, and the sources of arguments."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import to_builtins

from tests.generation.dialogues import rebuilt
from toolgauge.annotation.graph import annotate, read_nodes
from toolgauge.annotation.grounding.context import Context
from toolgauge.annotation.grounding.dates import days_in
from toolgauge.annotation.grounding.numbers import numbers_in
from toolgauge.annotation.grounding.points import point_of
from toolgauge.annotation.grounding.sources import sources_of, typed_leaves
from toolgauge.annotation.grounding.times import minutes_in
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.data.dialogue import parse_clock
from toolgauge.data.session import Session

NOW = datetime.datetime(2024, 5, 3, 9, 12, 44)  # a Friday
MINI = Path(__file__).parents[2] / "src/toolgauge/benchmarks/dialogues/mini/sessions.jsonl"


@pytest.mark.parametrize(
    ("text", "number"),
    [("two seats", 2), ("twenty-five of them", 25), ("two hundred and fifty", 250), ("1,200 euros", 1200),
     ("3.5k", 3500),
     ("half an hour", 0.5), ("an hour and a half", 1.5), ("the third one", 3), ("a dozen", 12), ("20% off", 0.2),
     ("room 1204", 1204), ("两张票", 2), ("二十五个", 25), ("两百五十块", 250), ("二百五", 250), ("一万二", 12000),
     ("三点五公里", 3.5), ("两个半小时", 2.5), ("3万", 30000), ("一百零五", 105), ("十二", 12), ("二零二四年", 2024)],
)  # fmt: skip
def test_numbers_are_read_in_digits_and_words(text: str, number: float) -> None:
    assert number in {value for value, _ in numbers_in(text)}


@pytest.mark.parametrize(
    ("text", "day"),
    [("today pls", "2024-05-03"), ("tmrw", "2024-05-04"), ("the day after tomorrow", "2024-05-05"),
     ("明晚", "2024-05-04"),
     ("yesterday", "2024-05-02"), ("next monday", "2024-05-06"), ("sat", "2024-05-04"),
     ("in two weeks", "2024-05-17"),
     ("3 days ago", "2024-04-30"),
     ("a double room, a week from today", "2024-05-10"), ("july 5", "2024-07-05"), ("5th of July", "2024-07-05"),
     ("the 21st", "2024-05-21"),
     ("by end of month", "2024-05-31"), ("christmas", "2024-12-25"), ("2024/6/1", "2024-06-01"),
     ("the 11th to 13th", "2024-05-13"),
     ("后天", "2024-05-05"), ("大后天", "2024-05-06"), ("下周三", "2024-05-08"), ("上周五", "2024-04-26"),
     ("周末", "2024-05-05"),
     ("6月18号", "2024-06-18"), ("六月十八号", "2024-06-18"), ("3天后", "2024-05-06"), ("两周后", "2024-05-17"),
     ("月底", "2024-05-31"),
     ("上上个月", "2024-03-31"), ("the month before last", "2024-03-31"),
     ("国庆", "2024-10-01"), ("past two months", "2024-03-03"), ("明年元旦", "2025-01-01")],
)  # fmt: skip
def test_days_are_read_from_the_clock(text: str, day: str) -> None:
    assert datetime.date.fromisoformat(day) in {means.day for means in days_in(text, NOW)}


@pytest.mark.parametrize(
    ("text", "time"),
    [("8am", "08:00"), ("at 8", "20:00"), ("5:30pm", "17:30"), ("half past seven", "19:30"),
     ("quarter to 9", "08:45"),
     ("noon", "12:00"), ("晚上8点", "20:00"), ("下午三点半", "15:30"), ("7点15", "19:15"), ("上午九点一刻", "09:15"),
     ("seven thirty pm", "19:30"), ("between 10 and 12", "10:00"), ("7, please", "19:00"), ("ten to six", "17:50"),
     ("half seven", "19:30"), ("7.30 in Rome", "19:30"), ("10到12点", "10:00"), ("差一刻九点", "08:45"),
     ("早8晚6", "18:00"), ("9am开始", "09:00")],
)  # fmt: skip
def test_times_of_day_are_read(text: str, time: str) -> None:
    point = point_of(time)
    assert point is not None
    assert point.minutes in {minutes for minutes, _ in minutes_in(text)}


def source(
    value: Any, *said: str, result: Any = None, schema: Any = None, language: str = "en"
) -> dict[str, Any] | None:
    """The first source of an argument `x` after a user spoke and a tool answered."""
    memory = Context(NOW)
    for text in said:
        memory.add("user", 0, text)
    if result is not None:
        memory.add("result", 0, result, 0)
    found = sources_of({"x": value}, {"properties": {"x": schema or {}}}, memory, language)
    return to_builtins(found["x"][0]) if found else None


@pytest.mark.parametrize(
    ("value", "said", "expected"),
    [("Oslo", "weather in OSLO?", {"from": "user", "task": 0, "quote": "OSLO"}),
     (2, "two seats", {"from": "user", "task": 0, "quote": "two"}),
     ("2024-05-04", "tmrw", {"from": "clock", "days": 1, "quote": "tmrw"}),
     ("2024-05-06", "下周一", {"from": "clock", "days": 3, "quote": "周一"}),
     ("2024-05", "bills of this month", {"from": "clock", "days": 0}),
     ("2024-05-06", "from tomorrow, for 2 nights", {"from": "clock", "days": 3})],
)  # fmt: skip
def test_what_the_user_says_is_a_source(value: Any, said: str, expected: dict[str, Any]) -> None:
    found = source(value, said)
    assert found is not None
    assert expected.items() <= found.items()


def test_what_a_tool_answers_is_a_source() -> None:
    answer = {"trains": [{"id": "IC1"}, {"id": "IC2", "note": "leaves from Ghent Dampoort"}]}
    assert source("IC2", "the second", result=answer) == {
        "from": "result",
        "task": 0,
        "step": 0,
        "path": "trains[1].id",
    }
    found = source("Ghent Dampoort", "from there", result=answer)
    assert found is not None
    assert found["path"] == "trains[1].note"


@pytest.mark.parametrize(
    ("value", "said", "schema", "reading"),
    [(90, "an hour and a half", None, "units"), (1500, "1.5 km", None, "units"),
     (5, "2 adults and 3 kids", None, "how many"), (5, "两个大人和三个孩子", None, "how many"),
     (3, "me and two friends", None, "how many"), (3, "me, my wife and my son", None, "how many"),
     (11, "row H, seats 10 to 12", None, "first to last"), (11, "H排10到12座", None, "first to last"),
     (14, "two a day for 7 days", None, "how many"), (6, "make it 2 more than the 4 we had", None, "more or less"),
     (7, "the past week", {"description": "In days."}, "units"), (120, "俩小时前", {"description": "分钟"}, "units"),
     (3, "since March", {"description": "The month to begin with."}, "part of a date"),
     (1500, "at 3 PM", {"description": "Time, like 1400."}, "part of a time"),
     (1979, "the 1970s", {"description": "year"}, None), (68, "20 degrees", {"description": "temperature"}, "units"),
     (4, "Friday to Tuesday", {"description": "Nights to stay."}, "between"),
     ("high", "it is very high", {"enum": ["low", "high"]}, None), ("08:00", "at 8am", None, "08:00"),
     ("129.222.66.08", "129.222 and then 66.08", None, "put together"),
     ("19:30", "for dinner tonight", None, "part of the day"),
     ("08:30", "half an hour before 9am", None, "counted")],
)  # fmt: skip
def test_values_may_be_derived(value: Any, said: str, schema: Any, reading: str | None) -> None:
    found = source(value, said, schema=schema)
    assert found is not None
    assert found["from"] in ("user", "clock")
    assert reading is None or reading in found["reading"]


@pytest.mark.parametrize(
    ("value", "schema", "language"),
    [(True, None, "en"), ("window", {"enum": ["window", "aisle"]}, "en"), (20, {"default": 20}, "en"),
     ("EUR", {"description": "Currency."}, "en"),
     ("Shanghai", None, "zh")],
)  # fmt: skip
def test_some_values_take_knowledge_only(value: Any, schema: Any, language: str) -> None:
    found = source(value, "一些话" if language == "zh" else "some words", schema=schema, language=language)
    assert found is not None
    assert found["from"] == "knowledge"


@pytest.mark.parametrize(
    "value",
    ["IC2231", "Trondheim", "ann@example.org", "2024-09-17", 4711, 61.5, "+47 555 0142", 1714725164, "Hotel Lindenhof",
     "17:25", "https://example.org/a1"],
)  # fmt: skip
@pytest.mark.parametrize("said", ["weather in Oslo, in 2 days?", "找一家奥斯陆的酒店"])
def test_what_nobody_gave_has_no_source(value: Any, said: str) -> None:
    language = "en" if said.isascii() else "zh"
    if language == "zh" and value in ("Trondheim", "Hotel Lindenhof"):
        pytest.skip("may be the Latin writing of a name")
    assert source(value, said, language=language) is None


@pytest.mark.parametrize("language", ["en", "zh"])
def test_sources_agree_with_those_that_people_wrote(language: str) -> None:
    """In the embedded benchmark every value has a source by hand. Most have the same one here: not all, since a value
    said in one task stands in results of others, and members of enumerations are translated in Chinese."""
    same, seen = 0, 0
    for session in load_dataset(MINI, language=language).sessions:
        for task, gold in zip(annotate(rebuilt(session)).tasks, session.tasks, strict=True):
            for call, wanted in zip(task.calls, gold.calls, strict=True):
                for path, found in call.sources.items():
                    kinds = {
                        s["from"] for key, listed in wanted.sources.items() if path.startswith(key) for s in listed
                    }
                    seen += 1
                    same += bool(kinds & {one["from"] for one in found})
    assert seen == 580
    assert same / seen > {"en": 0.9, "zh": 0.75}[language]


def test_values_of_other_dialogues_are_found_out() -> None:
    """Texts with digits (ids, addresses, phone numbers) of a session, put into the calls of the next: who made them up
    there would be caught nearly always."""
    sessions = load_dataset(MINI, language="en").sessions
    caught = tried = 0
    for session, other in zip(sessions, [*sessions[1:], sessions[0]], strict=True):
        foreign = [value for _, value in _ids(other)]
        for (known, _), value in zip(_ids(session), foreign, strict=False):
            memory = Context(known[0].now)
            memory.items = list(known)
            tried += 1
            caught += not sources_of({"x": value}, {}, memory, "en")
    assert tried > 60
    assert caught / tried > 0.9


def _ids(session: Session) -> list[tuple[Any, str]]:
    one = rebuilt(session)
    memory = Context(parse_clock(one.clock) or NOW)
    schemas = {tool.name: tool for tool in one.tools}
    found = []
    for index in range(len(one.tasks)):
        for node in read_nodes(one, index, memory, schemas):
            for _, _, value, _ in typed_leaves(node.arguments, node.schema):
                if isinstance(value, str) and any(c.isdigit() for c in value) and point_of(value) is None:
                    found.append((node.known, value))
    return found


TEXTS = st.text(max_size=30) | st.text("0123456789一二十百万亿点半号月年日:-/. halfpast", max_size=60)
SCALARS = st.none() | st.booleans() | st.integers(-(10**25), 10**25) | st.floats(allow_nan=False) | TEXTS
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3))


@settings(max_examples=300, deadline=None)
@given(said=TEXTS, answer=VALUES, arguments=st.dictionaries(TEXTS, VALUES, max_size=3), schema=VALUES)
def test_hostile_content_raises_nothing(said: str, answer: Any, arguments: Any, schema: Any) -> None:
    memory = Context(NOW)
    memory.add("user", 0, said)
    memory.add("result", 0, answer, 0)
    memory.add("agent", 0, said)
    sources_of(arguments, {"properties": dict.fromkeys(arguments, schema)}, memory, "zh")


def test_numbers_beyond_a_float_have_no_source_and_do_no_harm() -> None:
    memory = Context(NOW)
    memory.add("user", 0, "Book 2 seats.")
    memory.add("result", 0, {"duration_minutes": 10**400, "price": 2})
    assert sources_of({"x": 10**400, "y": -(10**400)}, {}, memory, "en") == {}
    assert sources_of({"x": 3, "y": 2}, {}, memory, "en").keys() == {"y"}

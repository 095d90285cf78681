"""Values that scripted users only point at, numbers with what they count, and what a reopened dialogue offers."""

from __future__ import annotations

import random

import pytest

from toolgauge.annotation.dialogue import Entry, Speaker
from toolgauge.data.session import Reference
from toolgauge.demo.chats import later_chat
from toolgauge.demo.fixture import Fixture
from toolgauge.demo.history import facts_of
from toolgauge.demo.plans import TaskPlan
from toolgauge.demo.pointing import counted, pointed_at
from toolgauge.demo.request_builder import RequestBuilder
from toolgauge.demo.speech import singular
from toolgauge.demo.templates import scripted_templates
from toolgauge.demo.wording import Wording
from toolgauge.tools.library import tool_library


@pytest.mark.parametrize(
    ("phrase", "parameter", "words", "expected"),
    [
        (
            "我想给预约单{visit_id}评{stars}颗星。",
            "visit_id",
            "我刚说的那个",
            "我想给我刚说的那个预约单评{stars}颗星。",
        ),
        ("请列出{podcast_id}号播客最新的单集。", "podcast_id", "我提过的那个", "请列出我提过的那个播客最新的单集。"),
        ("我{date}有什么安排？", "date", "我说的那天", "我说的那天有什么安排？"),
        ("送餐地址{address}。", "address", "我刚说的那个", "送餐地址就用我刚说的那个。"),
        ("“{text}”是什么语言？", "text", "我刚才说的那句", "我刚才说的那句是什么语言？"),
        ("{city}今天冷吗", "city", "我提过的那个", "我提过的那个城市今天冷吗"),
    ],
)
def test_pointing_in_chinese(phrase: str, parameter: str, words: str, expected: str) -> None:
    assert pointed_at(phrase, parameter, words, "zh") == expected


@pytest.mark.parametrize(
    ("phrase", "parameter", "words", "expected"),
    [
        ("What is the status of flight {flight_no} {date}?", "flight_no", "the one I mentioned",
         "What is the status of the flight I mentioned {date}?"),
        ("Follow podcast number {podcast_id}.", "podcast_id", "the one I mentioned", "Follow the podcast I mentioned."),
        ("Please freeze my card {card_id}.", "card_id", "the one I mentioned", "Please freeze the card I mentioned."),
        ("mail {plan_id} to {email} pls", "plan_id", "the one I mentioned", "mail the one I mentioned to {email} pls"),
        ("Slots for {date}?", "date", "on that same day", "Slots for that same day?"),
        ("How is the weather {date}?", "date", "on that same day", "How is the weather on that same day?"),
        ("{city} right now?", "city", "the one I mentioned", "The city I mentioned right now?"),
        ("What language is “{text}”?", "text", "what I just said", "What language is what I just said?"),
    ],
)  # fmt: skip
def test_pointing_in_english(phrase: str, parameter: str, words: str, expected: str) -> None:
    assert pointed_at(phrase, parameter, words, "en") == expected


@pytest.mark.parametrize(
    ("phrase", "words", "language", "expected"),
    [
        ("Rain in the next {n} hours?", "4", "en", "4 hours"),
        ("Rain in the next {n} hours?", "1", "en", "1 hour"),
        ("A table for {n} people.", "1", "en", "1 person"),
        ("Send {n} to them.", "25.5", "en", "25.5"),
        ("Take {n} hours", "a few", "en", "a few"),
        ("未来{n}小时会下雨吗", "12", "zh", "12小时"),
        ("{n}个人的位子", "4", "zh", "4个人"),
        ("交第{n}单元的答案", "3", "zh", "第3单元"),
        ("给他转{n}", "25", "zh", "25"),
    ],
)
def test_numbers_stand_with_what_they_count(phrase: str, words: str, language: str, expected: str) -> None:
    assert counted(["", phrase], "n", words, language) == expected


def fixture(tool_list: str, language: str) -> Fixture:
    (tools,) = (one.tools for one in tool_library(language) if one.id == tool_list)
    return Fixture(scripted_templates(language)[tool_list], tools, language, "2024-05-03 09:12")


@pytest.mark.parametrize(("language", "said"), [("en", "I keep thinking about Lisbon."), ("zh", "我最近总想着杭州。")])
def test_what_a_reopened_chat_mentions_can_be_leant_on(language: str, said: str) -> None:
    entries = [Entry(Speaker.USER, said, 0)]
    facts = facts_of(fixture("city_weather", language), [], [None], entries)
    assert {(fact.parameter, fact.value) for fact in facts} == {("city", "Lisbon" if language == "en" else "杭州")}
    assert facts_of(fixture("city_weather", language), [], [TaskPlan("chat", said)], entries) == []


def test_an_id_that_is_none_of_the_examples_is_heard_too() -> None:
    entries = [Entry(Speaker.USER, "I have the reference here: lamp-71. XAU-1234 is nothing.", 0)]
    facts = facts_of(fixture("smart_home", "en"), [], [None], entries)
    assert [(fact.parameter, fact.value) for fact in facts] == [("lamp_id", "lamp-71")]


@pytest.mark.parametrize(
    ("reply", "brief"),
    [
        ("文件export_2568.csv（528KB）已导出，链接24小时内有效，请及时下载。", "文件export_2568.csv（528KB）已导出。"),
        ("雨约51分钟，总雨量4.9毫米。之后转晴，风力不大，适合出门走走看看。", "雨约51分钟，总雨量4.9毫米。"),
        ("好的，整理如下：\n\n> 看问题、方法和结论是否站得住。一般不会重复实验，也不看作者是谁。",
         "看问题、方法和结论是否站得住。"),
        ("结果如下：\n\n- 已订6号场，三天后11:00，编号CB40931。\n- 已询问12位会员，2位答应参加。",
         "已订6号场，三天后11:00，编号CB40931。"),
        ("帮您看了一下，雨约51分钟，总雨量4.9毫米。之后转晴，风力不大，适合出门走走看看。",
         "雨约51分钟，总雨量4.9毫米。"),
    ],
)  # fmt: skip
def test_what_is_put_briefly_is_whole_and_shorter(reply: str, brief: str) -> None:
    found = set()
    for seed in range(8):
        builder = RequestBuilder(fixture("city_weather", "zh"), random.Random(seed), (), ())
        found.add(later_chat(builder, Reference.PARTIAL_INFORMATION, [reply]).reply)
    assert Wording("zh")("shorter_reply", reply=brief) in found
    assert not any(one.startswith("简单来说") and brief not in one for one in found)


@pytest.mark.parametrize(
    ("told", "right"),
    [("Line 8 in 1 minutes, line 39 in 7 minutes.", "Line 8 in 1 minute, line 39 in 7 minutes."),
     ("the least busy with 1 open tasks", "the least busy with 1 open task"), ("1 people, 1 boxes", "1 person, 1 box"),
     ("row 1 is free, 11 seats, 0.1 miles", "row 1 is free, 11 seats, 0.1 miles")],
)  # fmt: skip
def test_one_of_something_is_no_plural(told: str, right: str) -> None:
    assert singular(told) == right

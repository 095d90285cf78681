"""Every agent has its prompt in both languages, filled from the same names, and no demand on it is missing."""

from __future__ import annotations

import random
import re
from importlib.resources import files

import pytest

from toolgauge.annotation.dialogue import PlannedTask, Speaker
from toolgauge.chat import Reply, Tool
from toolgauge.data.session import KINDS, Reference
from toolgauge.generation.agents.checker import can_object, read_parallelism
from toolgauge.generation.agents.messages import user_and_tools
from toolgauge.generation.agents.patterns import PATTERNS
from toolgauge.generation.agents.planner import planner_rules, read_decision
from toolgauge.generation.agents.tool import read_observations
from toolgauge.generation.agents.user import LATER, first_task, read_candidates
from toolgauge.generation.prompts import filled, prompt, texts
from toolgauge.generation.sampling import SHAPES
from toolgauge.generation.state import AgentView, DialogueState, StepRecord
from toolgauge.generation.validators.planner import check_decision
from toolgauge.generation.validators.tool import check_observations

LANGUAGES = ("en", "zh")
DOTS = {"en": "…", "zh": "……"}
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = Tool("get_weather", "Weather.", CITY)
FIRST = {
    "user_single_tool": PlannedTask("single", chosen="get_weather"),
    "user_ask": PlannedTask("clarify", chosen="get_weather", missing=("city",)),
    "user_chat": PlannedTask("chat"),
    "user_multi_tool": PlannedTask("multi", shape="sequential_tools"),
    "user_multi_tool_parallel": PlannedTask("multi", shape="parallel_tools"),
    "user_multi_tool_serial_parallel": PlannedTask("multi", shape="mixed_tools"),
}
"""The agents of first tasks, each with a task that it is asked for."""
NAMES: dict[str, set[str]] = {
    "planner": {"form", "ask", "answer", "chat"},
    "switch_planner": {"answer", "again"},
    "user_and_tools": {"first", "later", "answer", "vague", "tool"},
    "tool": set(),
    "switch_tool": {"count", "again"},
    "tool_facts": {"facts"},
    "agent": {"form"},
    "agent_form": set(),
    "agent_ask": set(),
    "agent_answer": set(),
    "agent_answer_chat": set(),
    "switch_agent": {"due", "rules"},
    "checker_planner": set(),
    "switch_checker": {"rules", "decision"},
    "switch_opening": set(),
    "user_first_task": set(),
    "switch_user_first": {"demand", "background", "length", "difficulty", "form", "about", "scenario", "count"},
    **{name: set[str]() for name in FIRST},
    "user_form": {"count"},
    "user_form_one": set(),
    "user_form_several": {"count"},
    "user_form_plan": {"count"},
    "user_continue_question": set(),
    "user_answer_ask": set(),
    "user_vague_answer_ask": set(),
    "switch_user_later": {"kind", "reference", "pattern", "example", "form"},
    "switch_user_answer_ask": {"question"},
    "switch_user_vague_answer_ask": {"question"},
    "pseudo_ask": set(),
    "pseudo_final": set(),
}
"""What each prompt is filled with."""

DIVERSITY = {
    "en": ("sentence type", "tone", "never naming a tool", "stands alone"),
    "zh": ("句式", "语气", "不要说出工具名", "独立成立"),
}
ASKED = {
    "en": ("Length: it grows", "another role of the speaker", "Difficulty"),
    "zh": ("逐渐变长", "换一个说话人的身份", "难度"),
}
"""What the request says on top of the rules, for each kind of task."""
ENTITY = {"en": "descriptions all have an entity in common", "zh": "所有工具的描述又有一个共同的实体"}
STRUCTURED = {
    "en": ("Task Description", "Task Difficulty", "Overall Plan to Solve the Task", '"medium" or "hard"', "```json"),
    "zh": ("任务描述", "任务难度", "解决任务的整体规划", "“中等”或“困难”", "```json"),
}
MULTI = [name for name in FIRST if "_multi_tool" in name]

DEMANDS: dict[str, dict[str, tuple[str, ...]]] = {
    "user_first_task": {
        "en": ("stands alone", "never naming a tool", "no two alike"),
        "zh": ("独立成立", "不要说出工具名", "互不相同"),
    },
    "user_form": {"en": ('"Task 1"',), "zh": ("“任务1”",)},
    "user_single_tool": {
        "en": ("exactly one call", "every required parameter"),
        "zh": ("只调用一次", "全部必填参数"),
    },
    "user_ask": {
        "en": ("what only you can know", "allows anybody to infer it or look it up", "you say outright"),
        "zh": ("只有你才知道", "不能让人由此推断出来或者查到", "都要明明白白说出来"),
    },
    "user_chat": {
        "en": ("without any tool", "the field that the tools are about", "no tool of the list does it or finds it out"),
        "zh": ("不用任何工具", "这些工具所在的领域", "列表中没有哪个工具是做这件事、查这件事的"),
    },
    "user_multi_tool": {
        "en": (
            "every call but the first can only be made when the one before it has finished",
            "all required parameters",
        ),
        "zh": ("除第一次之外，每次调用都必须等前一次完成之后才能进行", "全部必填参数"),
    },
    "user_multi_tool_parallel": {
        "en": ("do not depend on one another", "all required parameters"),
        "zh": ("没有任何依赖", "全部必填参数"),
    },
    "user_multi_tool_serial_parallel": {
        "en": ("some depend on one another and some do not", "all required parameters"),
        "zh": ("有的有依赖，有的没有", "全部必填参数"),
    },
    "user_answer_ask": {
        "en": ("every value that it asks for", "invent", "another sentence type, tone and length"),
        "zh": ("每一项都要给出具体的值", "就自己编", "句式、语气、长短要与你之前的回答不同"),
    },
    "user_vague_answer_ask": {
        "en": ("give none of the values", "has to ask again", "another sentence type, tone and length"),
        "zh": ("一个也不给", "只能再问一次", "句式、语气、长短要与你之前的回答不同"),
    },
    "user_continue_question": {
        "en": ("first person", "the conversation is needed to understand you", "never naming a tool"),
        "zh": ("第一人称", "结合前面的对话才能听懂", "不要说出工具名"),
    },
    "user_form_one": {"en": ("one line", "without an explanation"), "zh": ("一行", "不要解释")},
    "user_form_several": {
        "en": ("one line", "without an explanation", "only one will be said", '"Task 1"'),
        "zh": ("一行", "不要解释", "只会说出其中一句", "“任务1”"),
    },
    "planner": {
        "en": (
            *("Mission_Finish", "Thought", "Plan", "Action_List", "tool_call_purpose", "Answer", "```json"),
            *("take the task apart", "given, derived or missing", "overall plan and the current step", "Do not repeat"),
            *("without argument values", "same order", "without comments", "it differs from the default"),
            *("examples in the parameter's description", "never compute or invent", "Timestamps", "ids"),
            *("ask again", "half an address", "truncated encoding", "for which tool", "code of a country"),
            *("approximate coordinates", "follow from the current time", "derivation in the thought", "no reason to"),
            *("tools for one country", "Never force a tool", "In doubt, sequential", "exactly one entry"),
            *("by parameter", "by logic", "Two calls of the same tool can depend on each other"),
            *("Checker_Planner", "earlier wrong attempts", "never write the names of the two actions"),
        ),
        "zh": (
            *("Task_Finish", "Thought", "Plan", "Action_List", "tool_call_purpose", "Answer", "```json"),
            *("拆解任务", "已提供、可推断还是缺失", "整体规划和当前步骤", "不要与 Plan 重复"),
            *("不写参数值", "顺序也一致", "不要注释", "与默认值不同"),
            *("以参数描述中的例子为准", "不要推算，更不要编造", "时间戳", "编号"),
            *("再问", "半个地址", "编码被截断", "为哪个工具询问", "国家代码"),
            *("大致的经纬度", "可以根据当前时间推断", "说明推断过程", "不是拒绝的理由"),
            *("只针对某个国家的工具", "绝不勉强使用", "拿不准时按串行处理", "只能有一个动作"),
            *("参数依赖", "逻辑依赖", "同一个工具的两次调用也可能有依赖"),
            *("Checker_Planner", "之前的错误尝试", "不要写那两个不是工具的动作的名字"),
        ),
    },
    "checker_planner": {
        "en": ("(a)", "(b)", "(c)", "by parameter", "by logic", "only the current step is right", '"correct": "yes"'),
        "zh": ("（a）", "（b）", "（c）", "参数依赖", "逻辑依赖", "只有当前步骤，这是正确的", '"correct": "yes"'),
    },
    "tool": {
        "en": (
            "OpenAPI server",
            "3 to 5 entries",
            "never an ellipsis",
            "never a comment",
            "status_code",
            "Never placeholders",
        ),
        "zh": ("OpenAPI 服务器", "3 到 5 条", "不要用省略号", "不要写注释", "status_code", "不要出现占位符"),
    },
    "agent_ask": {
        "en": ("without names of parameters", "everything that is missing"),
        "zh": ("不要出现参数名", "缺失的信息都要问到"),
    },
    "agent_answer": {
        "en": ("every id", "Summarise", "Only results of this task"),
        "zh": ("每一个编号", "总结", "只用这个任务的结果"),
    },
    "agent_answer_chat": {"en": ("without calling anything", "general knowledge"), "zh": ("不调用任何工具", "常识")},
}
"""Phrases that stand for what the agents are asked to do, per prompt and language."""


def request_for(name: str, language: str) -> str:
    """The whole request for a first task of an agent."""
    state = DialogueState(StepRecord("k"), language, (WEATHER,), "list", random.Random(1), "2024-05-03 09:12:44 Friday")
    state.tasks.append(FIRST[name])
    ask = first_task(state, None)
    assert ask.agent == name
    return "\n".join(message.content or "" for message in ask.messages)


def fields(text: str) -> set[str]:
    return set(re.findall(r"\$([a-z_]+)", text))


def test_no_prompt_is_unknown_to_these_tests() -> None:
    found = {entry.name for entry in files("toolgauge.generation.prompts").iterdir() if entry.name.endswith(".txt")}
    assert found == {f"{name}.{language}.txt" for name in NAMES for language in LANGUAGES}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_takes_the_same_names_in_both_languages_and_fills(name: str, language: str) -> None:
    assert fields(prompt(name, language)) == NAMES[name]
    values = {field: f"<{field} $tools ${{x}}>" for field in NAMES[name]}
    text = filled(name, language, **values)
    assert all(value in text for value in values.values()), "values are not read as templates again"
    if NAMES[name]:
        with pytest.raises(KeyError):
            filled(name, language)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", DEMANDS)
def test_the_demands_of_the_spec_are_made(name: str, language: str) -> None:
    text = prompt(name, language)
    assert [demand for demand in DEMANDS[name][language] if demand not in text] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", FIRST)
def test_first_tasks_are_to_differ_in_every_way(name: str, language: str) -> None:
    """What holds for all of them stands once, in the rules for users and tools."""
    shared = user_and_tools(language)
    assert [demand for demand in (*DIVERSITY[language], ENTITY[language]) if demand not in shared] == []
    wanted = (*ASKED[language], *(STRUCTURED[language] if name in MULTI else ()))
    assert [demand for demand in wanted if demand not in request_for(name, language)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_planner_knows_the_eight_situations(language: str) -> None:
    title = {"en": "# Several calls: the eight situations", "zh": "# 多次调用的八种情形"}[language]
    part = prompt("planner", language).split(title)[1]
    assert re.findall(r"^(\d)\. ", part, re.MULTILINE) == list("12345678")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("switch_")])
def test_a_change_of_roles_begins_as_in_the_papers_files(name: str, language: str) -> None:
    assert prompt(name, language).startswith({"en": "Switch", "zh": "切换角色为"}[language])


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("agent_")])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_assistants_words_have_their_form_whoever_says_them(name: str, language: str) -> None:
    """The planner says them with its decision, where one model plays both."""
    wanted = {"en": ("Markdown", "blank line", "In English"), "zh": ("Markdown", "空一行", "用中文")}[language]
    form, rules = prompt("agent_form", language), planner_rules(language)
    assert all(demand in form for demand in wanted)
    assert form in rules
    assert prompt(name, language) in rules
    assert {"en": '"Agent: "', "zh": "“Agent助手：”"}[language] in prompt("switch_agent", language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_example_in_a_prompt_is_what_its_reader_reads(language: str) -> None:
    decision = read_decision(Reply(planner_rules(language)))
    scene = AgentView(language, (WEATHER,), "2024-05-03 09:12:44 Friday", (), 0, "multi")
    assert len(decision.actions) == 2
    assert check_decision(scene, decision) == (), "and it keeps every rule"
    assert can_object(scene, decision), "nobody has said which cities"
    observations = read_observations(Reply(prompt("tool", language)))
    assert check_observations(decision, observations, language) == ()
    assert read_parallelism(Reply(prompt("checker_planner", language))) == ()
    for name in FIRST:
        assert read_candidates(Reply(request_for(name, language)), name, language) == [DOTS[language]]
    assert read_candidates(Reply(filled("user_form_several", language, count=5)), LATER, language) == [DOTS[language]]


def test_english_prompts_hold_no_chinese_and_chinese_ones_no_english_sentences() -> None:
    for name in NAMES:
        assert not re.search(r"[\u3400-\u9fff]", prompt(name, "en")), name
        plain = re.sub(r"```.*?```", "", prompt(name, "zh"), flags=re.DOTALL)
        assert not re.search(r"[A-Za-z]+(?: [A-Za-z]+){3,}", plain), name


def test_first_users_are_told_the_moment_and_not_of_the_pseudo_actions() -> None:
    for name in FIRST:
        for language in LANGUAGES:
            text = request_for(name, language)
            assert "2024-05-03 09:12:44 Friday" in text
            assert [word for word in ("ask_user_for_required_parameters", "prepare_to_answer") if word in text] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_short_texts_are_complete(language: str) -> None:
    speakers, parts = texts("speakers", language), texts("user_parts", language)
    assert set(speakers) == {speaker.value for speaker in Speaker}
    assert speakers["planner_checker"] == "Checker_Planner：", "in English too"
    wanted = {f"kind_{kind}" for kind in KINDS} | {f"shape_{shape}" for shape in SHAPES}
    wanted |= {"background_free", "background_setting", "length_complete", "length_incomplete", "length_free"}
    wanted |= {f"reference_{reference.value}" for reference in Reference} | {f"pattern_{name}" for name in PATTERNS}
    assert wanted <= set(parts)
    assert set(parts) == set(texts("user_parts", "en")), "both languages have the same"

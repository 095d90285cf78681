"""Tools that are found by a search: what is on offer, and that searches are neither right nor wrong."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.trials.test_variants import mini
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.benchmarks.dialogues.benchmark import MINI
from toolgauge.benchmarks.dialogues.episodes import MOST_QUERY, found_tools, search_tool
from toolgauge.benchmarks.dialogues.view.task_views import GraphTaskViews
from toolgauge.chat import Reply, Request, Tool, ToolCall
from toolgauge.data.session import Dataset
from toolgauge.episode import Trajectory, drive
from toolgauge.judge.searches import SEARCH
from toolgauge.judge.values import exact_faults
from toolgauge.judge.verdict import Score
from toolgauge.models.builtin.models import oracle
from toolgauge.report.task_views.task_view import Pool, SharedSession
from toolgauge.tools.variants import ToolVariant

Play = Callable[[Request], Reply]


def searched() -> Dataset:
    return MINI.varied(mini(), ToolVariant("search", search=True))


def search(query: object, call_id: str = "s") -> ToolCall:
    return ToolCall(call_id, SEARCH, json.dumps({"query": query}))


def played(key: str, play: Play) -> tuple[Trajectory, Score]:
    data = searched()
    sample = next(one for one in MINI.samples(data) if one.key == key)
    trajectory = drive(MINI.episode(data, sample), play)
    (score,) = MINI.scores(data, trajectory)
    return trajectory, score


@pytest.mark.parametrize("history", ["gold", "own"])
def test_the_oracle_searches_and_is_right_in_every_scoring_and_optimal(history: str) -> None:
    data, searches = searched(), 0
    setup = Setup(options={"history": history})
    for sample in MINI.samples(data, setup):
        trajectory = drive(MINI.episode(data, sample, setup), oracle)
        searches += sum(call.name == SEARCH for reply in trajectory.replies for call in reply.tool_calls)
        for score in MINI.scores(data, trajectory):
            for verdict in score.scorings.values():
                assert verdict.correct
                assert verdict.optimal
    assert searches > 50


def test_only_the_search_is_on_offer_and_then_what_it_found() -> None:
    requests: list[Request] = []

    def play(request: Request) -> Reply:
        requests.append(request)
        return oracle(request)

    trajectory, score = played("mini_0/0", play)
    assert [tool.name for tool in requests[0].tools] == [SEARCH]
    called = trajectory.replies[1].tool_calls[0].name
    assert called in {tool.name for tool in requests[1].tools}
    (result,) = trajectory.steps[1].messages[1:]
    found = json.loads(result.content or "")
    assert called in {one["name"] for one in found}
    assert {tool.name for tool in requests[1].tools} == {SEARCH, *(one["name"] for one in found)}
    assert score.scorings["exact"].correct


def right_call(request: Request) -> ToolCall:
    """The annotated call, also where the hint is to search first."""
    task = next(one for one in mini().sessions if one.id == "mini_0").tasks[0]
    call = next(call for call in task.calls if call.is_tool)
    return ToolCall("c", call.name, json.dumps(call.arguments))


def test_a_reply_that_searches_and_calls_is_judged_by_its_calls() -> None:
    def play(request: Request) -> Reply:
        if request.step == 0:
            return Reply(tool_calls=(search("anything"), right_call(request), search("more", "t")))
        return oracle(request)

    trajectory, score = played("mini_0/0", play)
    assert score.scorings["exact"].correct
    ids = [message.tool_call_id for message in trajectory.steps[1].messages[1:]]
    assert ids == ["s", "c", "t"]


def test_pages_show_calls_in_their_places_among_all_replies() -> None:
    def play(request: Request) -> Reply:
        if request.step == 0:
            return Reply(tool_calls=(search("x"),))
        wrong = ToolCall("w", "nobody_has_this", "{}")
        return Reply(tool_calls=(search("y"), wrong))

    trajectory, _score = played("mini_0/0", play)
    views = GraphTaskViews(exact_faults, searched())
    (shown,) = views.shown(trajectory, SharedSession("mini_0", 0), Pool())
    assert shown.divergence.step == 1
    (made,) = shown.fields["comparison"].made
    assert (made.step, made.call, made.name) == (1, 1, "nobody_has_this")


def test_the_rarer_word_decides_and_a_name_comes_first() -> None:
    tools = [
        Tool("get_weather", "Get the weather."),
        Tool("getNews", "Get the news of the day."),
        Tool("查天气", "查询天气情况。"),
        Tool("other", "Nothing of it."),
    ]
    assert found_tools(tools, "get news")[0].name == "getNews"
    assert found_tools(tools, "the weather")[0].name == "get_weather"
    assert found_tools(tools, "other: weather weather the news get")[0].name == "other"
    assert [tool.name for tool in found_tools(tools, "今天天气怎么样")] == ["查天气"]
    assert found_tools(tools, "xyz") == []
    assert found_tools(tools, "xyz " * MOST_QUERY + "weather") == [], "no more of a query is read"
    assert search_tool("zh").description != search_tool("en").description

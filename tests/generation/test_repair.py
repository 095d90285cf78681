"""A fault is mended where it is: the dialogue is accepted in its first attempt, at the price that the design says."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.generation.dialogues import TOOLS, calls, closes, dialogue, results, user
from tests.generation.test_generation_spec import files, played
from tests.generation.test_whole_generation import EASY, OTHER, dialogue_of
from tests.sizes import in_turn, sized
from toolgauge.annotation.dialogue import Action, Dialogue, Entry, Speaker
from toolgauge.chat import Reply, Request, Usage
from toolgauge.demo import FAULTS, LibraryAgents, ScriptedAgents
from toolgauge.demo.templates import scripted_templates
from toolgauge.episode import Trajectory, drive
from toolgauge.generation.attempts import Redone, Repair, attempts_of, thrown_away
from toolgauge.generation.dialogue_options import GenerationOptions
from toolgauge.generation.episode import dialogue_episode
from toolgauge.generation.filters import FILTERS, FilterVerdict
from toolgauge.generation.formats.agent_traces import captures
from toolgauge.generation.formats.raw import raw_record
from toolgauge.generation.judging import Unfit, findings_on, fitting, objections, require_fitting
from toolgauge.generation.setup import GenerationSetup, Slot
from toolgauge.generation.spec import GenerationPlan, carry_out_generation, plan_generation
from toolgauge.generation.state import DialogueState, StepRecord
from toolgauge.models.builtin.models import noisy, oracle
from toolgauge.tools.library import tool_library
from toolgauge.tools.toollist import ToolList

LANGUAGES = ("en", "zh")
ALL = tuple(FILTERS)
PATHS = (EASY, OTHER, ("multi", "single"), ("chat", "multi"), ("single", "multi")) * 12


@cache
def agents(language: str, insistent: bool = False) -> ScriptedAgents:
    return ScriptedAgents(scripted_templates(language), insistent)


def made(slot: Slot, play: Any = oracle, insistent: bool = False, **changes: Any) -> Trajectory:
    language = slot.key[:2]
    setup = replace(GenerationSetup(language, filters=ALL, attempts=1), **changes)
    return drive(dialogue_episode(slot, tool_library(language), setup, agents(language, insistent)), play)


def faulty(name: str, language: str, **changes: Any) -> tuple[Trajectory, Slot]:
    """The first dialogue in which a fault can be made, and its slot."""
    for number, path in enumerate(PATHS):
        slot = Slot(f"{language}-{number}", path)
        trajectory = made(slot, noisy(1, 1.0, name), **changes)
        if any(step.reply.planted for step in trajectory.steps):
            return trajectory, slot
    raise AssertionError(f"{name} is possible nowhere")


def repairs_of(trajectory: Trajectory) -> tuple[Repair, ...]:
    return attempts_of(trajectory)[-1].repairs


# --- what a fault costs -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "language"), in_turn(FAULTS, LANGUAGES))
def test_a_fault_is_mended_at_its_price(name: str, language: str) -> None:
    """Of a fault that is seen at once its author is asked once more, and nobody else; of one that shows later what had
    followed from the message that is made again is asked once more."""
    trajectory, slot = faulty(name, language)
    clean = made(slot)
    assert (trajectory.extra["accepted"], len(trajectory.extra["attempts"])) == (True, 1), trajectory.extra["attempts"]
    planted = Counter(step.agent for step in trajectory.steps if step.reply.planted)
    extra = Counter(step.agent for step in trajectory.steps)
    extra.subtract(Counter(step.agent for step in clean.steps))
    fault, gone = FAULTS[name], thrown_away(repairs_of(trajectory))
    if fault.taken_back:
        assert {one.reason for one in repairs_of(trajectory)} == {fault.reason}
        assert extra.total() == len(gone)
        assert extra == Counter(trajectory.steps[number].agent for number in gone)
    elif fault.role == "agent":  # what the planner would say for the assistant is said by the assistant instead
        assert (extra.total(), extra["planner"]) == (planted.total(), 0)
    else:
        if fault.rule == "parallelism":  # the checker sees both decisions
            planted = Counter({agent: planted.total() for agent in ("planner", "checker_planner")})
        assert extra == planted
        assert not gone


@pytest.mark.parametrize("name", [name for name, fault in FAULTS.items() if fault.taken_back])
def test_of_what_was_taken_back_nothing_is_left(name: str) -> None:
    """The rest of the dialogue is as if it had never been: the same tasks are drawn, and no file has it."""
    trajectory, slot = faulty(name, "en")
    said, clean = dialogue_of(trajectory), dialogue_of(made(slot))
    assert said.tasks == clean.tasks
    assert [entry.speaker for entry in said.kept] == [entry.speaker for entry in clean.kept]
    gone = thrown_away(repairs_of(trajectory))
    lines = list(captures(trajectory, said))
    asked = [step.agent for number, step in enumerate(trajectory.steps) if number not in gone]
    assert [line["task"] for line in lines] == [agent for agent in asked if agent != "planner_ablation"]
    answers = {trajectory.steps[number].reply.content for number in gone} - {
        step.reply.content for number, step in enumerate(trajectory.steps) if number not in gone
    }
    text = msgspec.json.encode([raw_record(said), [line["answer"] for line in lines]]).decode()
    assert answers or name == "gives_up", "there the user says the same again"
    assert not [answer for answer in answers if answer and msgspec.json.encode(answer).decode().strip('"') in text]


@pytest.mark.parametrize("name", [name for name, fault in FAULTS.items() if fault.taken_back])
def test_who_makes_a_task_again_is_told_why(name: str) -> None:
    trajectory, _ = faulty(name, "en")
    for repair in repairs_of(trajectory):
        assert repair.redone is Redone.REQUEST
        again = trajectory.steps[repair.end]
        assert (again.role, again.task_index) == ("user", repair.task)
        assert "could not be used: “" in (again.messages[-1].content or "")


def test_the_same_replies_make_the_same_dialogue() -> None:
    for name in ("self_contained", "gives_up", "invented_value"):
        first, slot = faulty(name, "zh")
        assert msgspec.json.encode(made(slot, noisy(1, 1.0, name))) == msgspec.json.encode(first)


def test_what_is_interrupted_while_it_is_mended_goes_on(tmp_path: Path) -> None:
    """Wherever a budget ends it: no reply is asked for twice, and the files are those of one go."""

    def plan(name: str) -> GenerationPlan:
        options = GenerationOptions(paths="multi,single", checks=("all",), language="en")
        return plan_generation(options, "builtin/oracle", None, tmp_path / name, LibraryAgents)

    def play(request: Request) -> Reply:
        asked[request.step] += 1
        return replace(noisy(1, 1.0, "gives_up")(request), usage=Usage(10, 1))

    asked: Counter[int] = Counter()
    whole = carry_out_generation(played(plan("whole"), play), 1)
    assert whole.coverage.attempts.repairs == {"path": 2}
    count = len(asked)
    for step in range(1, count, 2):
        asked.clear()
        cut = carry_out_generation(played(plan(f"cut-{step}"), play), 1, max_tokens_total=11 * step)
        assert cut.coverage.slots.missing == 1
        carry_out_generation(played(plan(f"cut-{step}"), play), 1)
        assert asked == Counter(range(count)), step
        assert files(tmp_path / f"cut-{step}") == files(tmp_path / "whole")


# --- what cannot be mended --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_that_is_made_again_ends_the_attempt(name: str) -> None:
    """As many tries and repairs as there may be, and no more; the reason is that of the fault."""
    setup: dict[str, Any] = {"tries": 2, "repairs": 1, "insistent": True}
    trajectory, _ = faulty(name, "en", **setup)
    (attempt,) = attempts_of(trajectory)
    assert attempt.failed == FAULTS[name].reason
    assert len({repair.task for repair in attempt.repairs}) <= 1
    by_agent = FAULTS[name].reason in ("user", "agent", "checker") or name in ("wrong_language", "tool_request_in_chat")
    assert len(attempt.repairs) == (0 if by_agent else 1), "who says nothing twice says nothing a third time"
    last = trajectory.steps[-1].task_index
    tries = Counter(step.task_index for step in trajectory.steps if step.reply.planted)[last]
    of_planner = FAULTS[name].role == "agent"  # whose words the assistant is asked for then
    assert tries == (3 if of_planner else 2 if by_agent or FAULTS[name].taken_back else 4)


def test_without_repairs_the_first_fault_ends_the_attempt() -> None:
    trajectory, _ = faulty("gives_up", "en", repairs=0)
    assert (attempts_of(trajectory)[0].failed, repairs_of(trajectory)) == ("path", ())


@pytest.mark.parametrize("seed", range(sized(6, 60)))
def test_whatever_agents_say_a_dialogue_ends(seed: int) -> None:
    """Faults again and again, replies cut off, replies of somebody else: it ends, and what is accepted is sound."""
    draw, earlier = random.Random(seed), [""]

    def play(request: Request) -> Reply:
        good, kind = oracle(request).content or "", draw.random()
        if kind < 0.14:
            reply = noisy(seed, 1.0, draw.choice(list(FAULTS)))(request)
        else:
            cut, stranger = good[: draw.randrange(len(good) + 1)], draw.choice(earlier)
            reply = Reply(stranger if kind < 0.2 else cut if kind < 0.24 else good)
        earlier.append(reply.content or "")
        return reply

    path = tuple(draw.choice(("single", "multi", "clarify", "chat")) for _ in range(draw.randint(1, 4)))
    slot = Slot(f"{LANGUAGES[seed % 2]}-{seed}", path)
    trajectory = made(slot, play, insistent=True, attempts=2)
    verdicts = msgspec.convert(trajectory.extra["gates"], tuple[FilterVerdict, ...])
    if trajectory.extra["accepted"]:
        assert [one.gate for one in verdicts if not one.passed] == []
        assert list(captures(trajectory, dialogue_of(trajectory)))
    for attempt in attempts_of(trajectory):
        assert all(count <= 2 for count in Counter(one.task for one in attempt.repairs).values())


# --- a decision is made again -----------------------------------------------------------------------------------------

POOL = (ToolList("list", TOOLS, "List"),)
BOTH = {"sky": "grey", "wind": "west"}


def text_of(entry: Entry) -> str:
    return entry.text


def weather(*units: str) -> tuple[Entry, Entry]:
    """A call in each unit ("": in none), with results of which the later ones tell more."""
    made = [Action("get_weather", {"city": "Oslo", **({"unit": unit} if unit else {})}) for unit in units]
    return calls(*made), results(*({**BOTH, **({"high": 12} if number else {})} for number, _ in enumerate(units)))


def test_a_call_that_was_for_nothing_is_decided_again() -> None:
    """What its result shows only when the other one is there: the decision goes, the user's message stays."""
    both, told = weather("", "C")
    one, short = weather("C")
    again = [
        text_of(both),
        text_of(told),
        text_of(closes("Grey.")[0]),
        "Grey.",
    ]
    replies = iter([*again, text_of(one), text_of(short), text_of(closes("Grey.")[0]), "Grey."])
    asked: list[Request] = []

    def play(request: Request) -> Reply:
        asked.append(request)
        task = '{"Task 1": "weather in Oslo, in degrees C?"}'
        return Reply(task if request.role == "user" else next(replies))

    setup = GenerationSetup("en", filters=("redundant_calls",), attempts=1, repairs=1)
    trajectory = drive(dialogue_episode(Slot("k", ("multi",)), POOL, setup), play)
    first, last = repairs_of(trajectory)[0], attempts_of(trajectory)[0]
    assert (first.reason, first.redone, first.first, first.end) == ("gate:redundant_calls", Redone.DECISION, 2, 5)
    assert "covered_by" in first.evidence
    objected = (asked[5].messages[-1].content or "", asked[5].role)
    assert objected[1] == "planner"
    assert "tells nothing that another call" in objected[0]
    assert (last.failed, len(last.repairs)) == ("path", 1), "one call is not several: the message is to blame then"
    assert sum(request.role == "user" for request in asked) == 1


# --- what is judged at once -------------------------------------------------------------------------------------------


def under_way(one: Dialogue, kind: str = "single") -> DialogueState:
    """A dialogue whose last task is under way."""
    state = DialogueState(StepRecord("k"), one.language, one.tools, one.tool_list, random.Random(1), one.clock)
    state.tasks = [replace(task, kind=kind) if task is one.tasks[-1] else task for task in one.tasks]
    for entry in one.entries:
        state.entries.append(entry)
    return state


OSLO = [user("weather in Oslo?"), calls(Action("get_weather", {"city": "Oslo"})), results(BOTH), closes("Grey.")]


def tried(state: DialogueState, name: str, **arguments: Any) -> list[tuple[str, str]]:
    entry = replace(calls(Action(name, arguments)), task=state.task)
    return [(finding.rule, finding.text) for finding in findings_on(state, entry, ALL)]


def test_a_value_from_nowhere_is_named_with_its_call_and_path() -> None:
    state = under_way(dialogue(OSLO, [user("and in Bergen?")]))
    ((rule, text),) = tried(state, "get_weather", city="Trondheim")
    assert rule == "gate:provenance"
    assert "get_weather" in text
    assert "'Trondheim' of city" in text
    assert "ask the user" in text
    assert tried(state, "get_weather", city="Bergen") == []


def test_earlier_tasks_are_annotated_once() -> None:
    """With a plain fault in the first task: it was judged when it was closed, and is no part of later objections."""
    wrong = [user("weather?"), *OSLO[1:]]
    state = under_way(dialogue(wrong, [user("and in Bergen?")]))
    assert tried(state, "get_weather", city="Bergen") == []
    before = state.annotated
    assert before is not None
    assert tried(state, "get_weather", city="Narvik") != []
    assert state.annotated is before


def test_words_are_judged_before_they_are_said() -> None:
    state = under_way(dialogue([*OSLO[:3], closes("")[0]]))
    with pytest.raises(Unfit) as refused:
        require_fitting(state, Speaker.AGENT, "奥斯陆是阴天。", ALL)
    assert refused.value.code == "language"
    assert "奥斯陆是阴天" in refused.value.said("en")
    require_fitting(state, Speaker.AGENT, "奥斯陆是阴天。", ("length",))
    require_fitting(state, Speaker.AGENT, "Grey.", ALL)
    with pytest.raises(Unfit, match="characters"):
        require_fitting(state, Speaker.AGENT, "Grey. " * 3000, ("length",))


def test_of_several_proposals_those_stay_that_are_fit() -> None:
    state = under_way(dialogue([user("x")], kinds=["chat"]), "chat")
    state.entries.clear()
    small, large = "why is the sky blue?", "search trains to Paris for me"
    assert fitting(state, [large, small], ALL) == [small]
    with pytest.raises(Unfit, match="search_trains"):
        fitting(state, [large], ALL)


def test_only_what_is_about_the_entry_counts() -> None:
    """An invented value that stands already is not held against the next words."""
    state = under_way(dialogue([user("weather?"), OSLO[1], OSLO[2]]))
    assert list(objections(state, [Entry(Speaker.PLANNER, "", 0, decision=closes("x")[0].decision)], ALL)) == []

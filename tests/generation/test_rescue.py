"""`toolgauge generate rescue`: what was rejected comes back into all files, marked, and can be given up again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

import toolgauge
from tests.generation.commands import done, invoke, lines, refused
from tests.generation.little_agents import little_hints, little_plan
from tests.generation.rejected_dialogues import rejected_generation
from toolgauge.chat import GoldHint
from toolgauge.errors import StoreError, UsageError
from toolgauge.generation.formats.files import FILES
from toolgauge.generation.rescued import RESCUED, add_rescued, read_rescued
from toolgauge.generation.spec import carry_out_generation
from toolgauge.generation.state import AgentRequest, DialogueState

SAME = ("--demo", "--paths", "single,multi; chat", "--attempts", "2")


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


def ids(folder: Path) -> list[str]:
    return [line["id"] for line in lines(folder / "sessions.jsonl")]


@pytest.fixture(scope="module")
def insisting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generation in which both attempts at the first slot were rejected by `multi_turn`."""
    folder = tmp_path_factory.mktemp("rejected") / "made"
    rejected_generation(folder)
    assert ids(folder) == ["en-CC-0"]
    return folder


@pytest.fixture
def folder(insisting: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(insisting, tmp_path / "g"))


def test_what_is_taken_back_stands_in_all_files(folder: Path) -> None:
    before = contents(folder)
    assert "can be taken back: 2, taken back: 0" in done("rescue", folder)
    assert contents(folder) == before
    done("rescue", folder, "en-ST.MT-0:1")
    assert ids(folder) == ["en-ST.MT-0:1", "en-CC-0"]
    first, other = lines(folder / "sessions.jsonl")
    assert first["origin"]["rescued"]["reason"] == "gate:multi_turn"
    assert "task" in first["origin"]["rescued"]["evidence"]
    assert "rescued" not in other["origin"]
    for name in ("raw.jsonl", "simplified.jsonl", "openai.jsonl", "sharegpt.jsonl"):
        assert len(lines(folder / name)) == 2, name
    assert "## en-ST.MT-0:1" in (folder / "dialogues.md").read_text("utf-8")
    captured = {line["id"] for line in lines(folder / "captures.jsonl")}
    assert captured == {"en-ST.MT-0:1", "en-CC-0"}
    assert [line["attempt"] for line in lines(folder / "rejected.jsonl")] == [0]
    coverage = json.loads((folder / "coverage.json").read_text("utf-8"))
    assert coverage["slots"] == {"requested": 2, "produced": 2, "rejected": 0, "missing": 0}
    attempts = coverage["attempts"]
    assert (attempts["begun"], attempts["rejected"], attempts["rescued"]) == (
        3,
        {"gate:multi_turn": 1},
        {"gate:multi_turn": 1},
    )


def test_captures_are_those_of_the_attempt(folder: Path) -> None:
    """Each attempt is over other tools and says other things; what repairs threw away is in no line."""
    done("rescue", folder, "en-ST.MT-0:0")
    (session, _) = lines(folder / "sessions.jsonl")
    captured = [line for line in lines(folder / "captures.jsonl") if line["id"] == session["id"]]
    asked = [line["answer"] for line in captured if line["task"].startswith("user_")]
    assert len(asked) == len(session["english_tasks"]) == 2
    assert all(said in answer for said, answer in zip(session["english_tasks"], asked, strict=True))
    offered = {tool["function"]["name"] for tool in session["english_tools"]}
    assert all(offered <= {tool["function"]["name"] for tool in line["tools"]} for line in captured)


def test_the_same_command_keeps_it_and_undo_gives_it_up(folder: Path) -> None:
    before = contents(folder)
    done("rescue", folder, "en-ST.MT-0:1")
    taken, said = contents(folder), (folder / "trajectories.jsonl").read_bytes()
    assert "Taken back: 1" in done(*SAME, "--out", folder)
    assert contents(folder) == taken
    assert (folder / "trajectories.jsonl").read_bytes() == said
    assert "Taken back: 0" in done("rescue", folder, "en-ST.MT-0:1")
    assert len(lines(folder / RESCUED)) == 1
    assert "Given up again: 1" in done("rescue", folder, "en-ST.MT-0", "--undo")
    assert contents(folder) == before
    assert len(lines(folder / RESCUED)) == 2
    assert read_rescued(folder) == {}


def test_a_decision_that_was_written_down_counts_though_the_files_were_not_made(folder: Path) -> None:
    done("rescue", folder, "en-ST.MT-0:1")
    taken = contents(folder)
    (decision,) = read_rescued(folder).values()
    done("rescue", folder, "en-ST.MT-0", "--undo")
    add_rescued(folder, [decision])
    done(*SAME, "--out", folder)
    assert contents(folder) == taken


def test_the_oracle_is_right_about_what_was_taken_back(folder: Path, tmp_path: Path) -> None:
    done("rescue", folder, "--all-of", "multi_turn")
    assert ids(folder) == ["en-ST.MT-0:0", "en-ST.MT-0:1", "en-CC-0"]
    result = toolgauge.run(
        "wildtoolbench", "builtin/oracle", data=folder / "sessions.jsonl", out=tmp_path / "run", offline=True
    )
    rate = result.metrics.readings["exact"]["overall"]["task_accuracy"]
    assert (rate.correct, rate.total) == (5, 5)
    assert result.metrics.missing == 0


def test_what_broke_off_is_taken_as_far_as_it_got(tmp_path: Path) -> None:
    """The tools of the second task say nothing, so the slot is given up after its first task."""

    def hints(state: DialogueState, ask: AgentRequest) -> GoldHint:
        hint = little_hints(state, ask)
        is_mute = ask.role == "tool" and state.task == 1
        return replace(hint, reply=replace(hint.reply, content="")) if is_mute else hint

    plan = replace(little_plan(tmp_path, paths="single,multi", attempts=2), hints=hints)
    carry_out_generation(plan, 2)
    before = contents(tmp_path)
    why = refused("rescue", tmp_path, "en-ST.MT-0:0")
    assert "broke off in task 2" in why
    assert "tasks" in why
    assert "several of its attempts" in refused("rescue", tmp_path, "en-ST.MT-0")
    assert "broke off in task 2" in refused("rescue", tmp_path, "en-ST.MT-0:0", "--tasks", 3)
    assert "Cannot be taken: 2" in done("rescue", tmp_path, "--all-of", "tool")
    assert contents(tmp_path) == before
    result = toolgauge.rescue(tmp_path, "en-ST.MT-0:0", tasks=1)
    assert result.changed == ("en-ST.MT-0:0",)
    assert result.coverage is not None
    assert result.coverage.slots.rejected == 1, "its path is not there yet"
    assert result.coverage.kinds == {"single": 1}
    (session,) = lines(tmp_path / "sessions.jsonl")
    assert len(session["english_tasks"]) == 1
    captured = [line["task"] for line in lines(tmp_path / "captures.jsonl")]
    assert captured[-1] == "agent_answer"
    assert captured.count("agent_answer") == 1


def test_an_attempt_may_come_back_beside_the_accepted_one(tmp_path: Path) -> None:
    rejected_generation(tmp_path, lists=1)
    assert ids(tmp_path) == ["en-ST.MT-0", "en-CC-0"]
    toolgauge.rescue(tmp_path, "en-ST.MT-0")
    assert ids(tmp_path) == ["en-ST.MT-0:0", "en-ST.MT-0", "en-CC-0"]
    coverage = json.loads((tmp_path / "coverage.json").read_text("utf-8"))
    assert coverage["slots"]["produced"] == 2
    assert sum(coverage["kinds"].values()) == 5


def test_a_duplicate_comes_back_and_takes_nobodys_place(tmp_path: Path) -> None:
    plan = little_plan(tmp_path, paths="chat", per_path=3, filters=("duplicates",))

    def alike(state: DialogueState, ask: AgentRequest) -> GoldHint:
        """All dialogues in the words of the first one."""
        hint = little_hints(state, ask)
        text = (hint.reply.content or "").replace(state.record.key, "en-CC-0")
        return replace(hint, reply=replace(hint.reply, content=text))

    carry_out_generation(replace(plan, hints=alike), 2)
    assert ids(tmp_path) == ["en-CC-0"]
    toolgauge.rescue(tmp_path, "en-CC-2")
    assert ids(tmp_path) == ["en-CC-0", "en-CC-2:0"]
    session = lines(tmp_path / "sessions.jsonl")[1]
    assert session["origin"]["rescued"]["evidence"].endswith("like en-CC-0")
    toolgauge.rescue(tmp_path, "en-CC-2", undo=True)
    assert ids(tmp_path) == ["en-CC-0"]


def test_calls_that_do_not_fit_the_tools_need_force(folder: Path) -> None:
    trajectories = lines(folder / "trajectories.jsonl")
    (spoiled,) = (one for one in trajectories if one["task_id"] == "en-ST.MT-0")
    decisions = [one["decision"] for one in spoiled["extra"]["attempts"][0]["dialogue"]["entries"] if "decision" in one]
    assert decisions[-1]["actions"][0]["name"] == "prepare_to_answer"
    decisions[-2]["actions"][0]["arguments"]["nonsense"] = 1
    (folder / "trajectories.jsonl").write_text("".join(json.dumps(one) + "\n" for one in trajectories))
    assert "hallucinated_parameter" in refused("rescue", folder, "en-ST.MT-0:0")
    assert "Cannot be taken: 1" in done("rescue", folder, "--all-of", "multi_turn")
    assert ids(folder) == ["en-ST.MT-0:1", "en-CC-0"]
    done("rescue", folder, "en-ST.MT-0:0", "--tasks", 1)
    assert "forced" not in lines(folder / "sessions.jsonl")[0]["origin"]["rescued"]
    done("rescue", folder, "en-ST.MT-0:0", "--force")
    first = lines(folder / "sessions.jsonl")[0]
    assert len(first["english_tasks"]) == 2
    assert first["origin"]["rescued"]["forced"] is True


def test_another_dialogue_never_takes_the_place_of_the_one_that_was_looked_at(folder: Path) -> None:
    done("rescue", folder, "en-ST.MT-0:1")
    text = (folder / "trajectories.jsonl").read_text("utf-8")
    (entry, *_) = lines(folder / "rejected.jsonl")
    first = lines(folder / "sessions.jsonl")[0]["english_tasks"][0]
    assert text.count(json.dumps(first)[1:-1]) > 1
    (folder / "trajectories.jsonl").write_text(text.replace(json.dumps(first)[1:-1], "Something else."), "utf-8")
    done(*SAME, "--out", folder)
    assert ids(folder) == ["en-CC-0"]
    assert entry["attempt"] == 0


def test_names_that_mean_nothing(folder: Path, tmp_path: Path) -> None:
    assert "no rejected dialogue 'nobody'" in refused("rescue", folder, "nobody")
    assert "no rejected dialogue 'en-CC-0'" in refused("rescue", folder, "en-CC-0")
    assert "was not taken back" in refused("rescue", folder, "en-ST.MT-0:0", "--undo")
    assert "gate:multi_turn" in refused("rescue", folder, "--all-of", "nonsense")
    assert "undo" in refused("rescue", folder, "--undo")
    assert "no generated dialogues" in refused("rescue", _run(tmp_path / "run"))
    assert "run.json" in refused("rescue", tmp_path / "nowhere")


def _run(folder: Path) -> Path:
    toolgauge.run("mini", "builtin/oracle", limit=1, out=folder)
    return folder


def test_edited_files_are_made_again(folder: Path) -> None:
    with (folder / "sessions.jsonl").open("a") as file:
        file.write("\n")
    done("rescue", folder, "en-ST.MT-0:1")
    assert ids(folder) == ["en-ST.MT-0:1", "en-CC-0"]


def test_a_line_that_cannot_be_read_stops_generate_too(folder: Path) -> None:
    done("rescue", folder, "en-ST.MT-0:1")
    with (folder / RESCUED).open("a") as file:
        file.write('{"slot": "en-ST.MT-0"}\n')
    with pytest.raises(StoreError, match=rf"{RESCUED}:2"):
        toolgauge.generate("builtin/oracle", paths="single,multi; chat", attempts=2, out=folder)


def test_sessions_that_were_moved_are_named(tmp_path: Path) -> None:
    reviewed, folder = tmp_path / "reviewed.jsonl", tmp_path / "g"
    done("--demo", "--paths", "single", "--out", tmp_path / "first")
    shutil.copy(tmp_path / "first" / "sessions.jsonl", reviewed)
    rejected_generation(folder, paths="single", resume_from=str(reviewed))
    one, _ = toolgauge.rescue(folder).rejected
    assert (one.whole, one.given) == (2, 1)
    assert "its first task was not made here" in refused("rescue", folder, one.id, "--tasks", 1)
    moved = reviewed.rename(tmp_path / "moved.jsonl")
    assert str(reviewed) in refused("rescue", folder)
    with pytest.raises(UsageError):
        toolgauge.rescue(folder, one.id, resume_from=tmp_path / "first" / "raw.jsonl")
    done("rescue", folder, one.id, "--resume-from", moved)
    (session,) = lines(folder / "sessions.jsonl")
    assert session["id"] == one.id == "en-ST-0+ST-0:0"


def test_of_edited_sessions_that_are_made_again(tmp_path: Path) -> None:
    done("--demo", "--paths", "single,single,single", "--out", tmp_path / "first")
    (record,) = lines(tmp_path / "first" / "sessions.jsonl")
    edited, folder = tmp_path / "edited.jsonl", tmp_path / "g"
    edited.write_text(json.dumps(record) + "\n")
    rejected_generation(folder, paths=None, replay=str(edited), replay_from=(f"{record['id']}/1",))
    one, other = toolgauge.rescue(folder).rejected
    assert (one.whole, one.given, other.whole) == (3, 1, 3)
    assert "its first task was not made here" in refused("rescue", folder, one.id, "--tasks", 1)
    done("rescue", folder, one.id)
    (session,) = lines(folder / "sessions.jsonl")
    assert session["english_tasks"][:2] == record["english_tasks"][:2]
    assert session["origin"]["rescued"]["reason"] == "gate:multi_turn"
    edited.write_text(json.dumps(record | {"note": 1}) + "\n")
    assert str(edited) in refused("rescue", folder)


def test_options_of_generate_do_not_stand_before_it(folder: Path) -> None:
    assert "--demo: does not go with `generate rescue`" in refused("--demo", "rescue", folder)


@pytest.mark.parametrize(
    ("language", "listed", "taken"),
    [("en", "whole tasks: 2 of 2; can be taken back", "Taken back: 1"), ("zh", "可以取回", "取回：1")],
)
def test_in_both_languages(language: str, listed: str, taken: str, folder: Path) -> None:
    assert listed in invoke("rescue", folder, "--list", language=language).output
    assert taken in invoke("rescue", folder, "en-ST.MT-0:1", language=language).output

"""Recorded texts read again by a dialect (`score --dialect`)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.end_to_end.playing import go, lines, options
from tests.mockserver import serve
from toolgauge import score
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.locale import Text

MINI = Path(__file__).parents[2] / "src/toolgauge/benchmarks/dialogues/mini/sessions.jsonl"
UNKNOWN = '```tool_calls\n{"name": "no_such_tool", "arguments": {}}\n```'


def recorded(folder: Path, said: str, dialect: str | None = "hermes") -> Path:
    """A run of one session in which the model says the same all the time."""
    with serve(lambda _body: {"role": "assistant", "content": said}) as server:
        reached = options(server.base_url, dialect=dialect) if dialect else options(server.base_url)
        return go(folder, "openai/mock", limit=1, reached=reached).folder


def mistakes(folder: Path) -> dict[str, str | None]:
    return {one["task_id"]: one["scorings"]["exact"]["mistake"] for one in lines(folder / "scores.jsonl")}


def again(run: Path, dialect: str, out: Path) -> list[str]:
    said: list[Text | str] = []
    score(run, dialect=dialect, out=out, tell=said.append)
    return list(map(str, said))


def test_a_text_is_read_as_another_family_writes(tmp_path: Path) -> None:
    run = recorded(tmp_path / "run", UNKNOWN)
    before = {name: (run / name).read_bytes() for name in ("run.json", "trajectories.jsonl", "scores.jsonl")}
    said = again(run, "generic", tmp_path / "again")
    count = len(lines(run / "trajectories.jsonl"))
    assert said == [f"parsed differently: {count} of {count} replies"]
    assert set(mistakes(tmp_path / "again").values()) == {"unknown_tool"}
    assert {name: (run / name).read_bytes() for name in before} == before
    manifest = json.loads((tmp_path / "again" / "run.json").read_bytes())
    assert (manifest["model"]["dialect"], manifest["read_again"]["dialect"]) == ("generic", "hermes")


@pytest.mark.parametrize("dialect", ["generic", None])
def test_the_same_reading_gives_the_same_scores(dialect: str | None, tmp_path: Path) -> None:
    run = recorded(tmp_path / "run", f"Wait.\n{UNKNOWN}<|im_end|>\n<|im_start|>user\nAnd?", dialect)
    said = again(run, "generic", tmp_path / "again")
    if dialect:
        assert said[0].startswith("parsed differently: 0 of ")
        assert (tmp_path / "again" / "scores.jsonl").read_bytes() == (run / "scores.jsonl").read_bytes()
    (reply, *_) = (step["reply"] for line in lines(tmp_path / "again" / "trajectories.jsonl") for step in line["steps"])
    assert (reply["content"], reply["tool_calls"][0]["name"]) == ("Wait.", "no_such_tool")
    assert again(tmp_path / "again", "generic", tmp_path / "third")[0].startswith("parsed differently: 0 of ")


def test_a_conversation_that_would_have_gone_on_is_missing_until_it_is_asked(tmp_path: Path) -> None:
    session = load_dataset(MINI).sessions[0]
    due = next(task.calls[0] for task in session.tasks if task.calls[0].is_tool)
    said = [f"```tool_calls\n{json.dumps({'name': due.name, 'arguments': due.arguments})}\n```"]
    with serve(lambda _body: {"role": "assistant", "content": said[0]}) as server:
        run = go(tmp_path / "run", "openai/mock", limit=1, reached=options(server.base_url, dialect="hermes")).folder
        told = again(run, "generic", tmp_path / "again")
        assert "would have continued differently" in told[1]
        left_out = mistakes(run).keys() - mistakes(tmp_path / "again").keys()
        assert left_out
        assert {one["key"] for one in lines(tmp_path / "again" / "failures.jsonl")} == left_out
        asked, said[0] = len(server.requests), "Done."
        go(tmp_path / "again", "openai/mock", limit=1, reached=options(server.base_url, dialect="generic"))
        assert len(server.requests) == asked + len(left_out)
    assert mistakes(tmp_path / "again").keys() == mistakes(run).keys()

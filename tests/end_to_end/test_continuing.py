"""Which commands continue the run in a folder: larger ones, other addresses and limits; and which do not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.playing import NOISY, go, lines, options, replies, wire_reply
from tests.mockserver import serve, status
from toolgauge.chat import Reply
from toolgauge.errors import UsageError
from toolgauge.models.model import Sampling
from toolgauge.runs.manifest import MANIFEST, read_manifest


def manifest(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / MANIFEST).read_bytes())
    return content


def keys(folder: Path) -> list[str]:
    return [line["task_id"] for line in lines(folder / "trajectories.jsonl")]


@pytest.mark.parametrize(
    ("first", "larger"),
    [
        ({"limit": 2}, {}),
        ({"limit": 2}, {"limit": 3}),
        ({"limit": 2}, {"limit": 2, "epochs": 3}),
        ({"ids": ("mini_3",)}, {"ids": ("mini_3", "mini_5/2")}),
        ({"ids": ("mini_1/0",)}, {"limit": 2}),
    ],
)
def test_a_larger_command_asks_only_what_is_missing(
    first: dict[str, Any], larger: dict[str, Any], tmp_path: Path
) -> None:
    before = go(tmp_path / "run", **first).outcome.done
    result = go(tmp_path / "run", **larger)
    whole = go(tmp_path / "whole", **larger)
    assert result.outcome.done == whole.outcome.done - before > 0
    assert sorted(keys(tmp_path / "run")) == sorted(keys(tmp_path / "whole"))
    assert (tmp_path / "run" / "scores.jsonl").read_bytes() == (tmp_path / "whole" / "scores.jsonl").read_bytes()
    recorded, there = manifest(tmp_path / "run"), manifest(tmp_path / "whole")
    for name in ("selection", "epochs", "tasks", "conversations"):
        assert recorded[name] == there[name]
    assert result.metrics.missing == 0


def test_the_smaller_command_asks_its_part_of_an_unfinished_run(tmp_path: Path) -> None:
    broken = "mini_2/"
    with serve(lambda _body: wire_reply(Reply("Fine.")), faults=lambda _number, _body: status(400)) as server:
        go(tmp_path / "run", "openai/mock", reached=options(server.base_url), limit=1)
    assert not keys(tmp_path / "run")
    go(tmp_path / "run", limit=3, ids=())
    kept = [line for line in (tmp_path / "run" / "trajectories.jsonl").read_text().splitlines() if broken not in line]
    (tmp_path / "run" / "trajectories.jsonl").write_text("".join(f"{line}\n" for line in kept))
    assert go(tmp_path / "run", limit=2).outcome.done == 0
    assert go(tmp_path / "run", limit=2).metrics.missing == 4
    assert go(tmp_path / "run", limit=3).outcome.done == 4


@pytest.mark.parametrize("wrong", ["address", "model", "key"])
def test_a_first_try_that_failed_leaves_the_folder_free(wrong: str, tmp_path: Path) -> None:
    number = {"address": 404, "model": 404, "key": 401}[wrong]
    with serve(faults=lambda _number, _body: status(number)) as server:
        first = go(tmp_path / "run", "openai/mistyped", reached=options(server.base_url + "/v2"), limit=1)
    assert (first.outcome.done, first.outcome.failed) == (0, 4)
    result = go(tmp_path / "run", limit=2)
    assert (result.outcome.done, result.notes) == (8, ())
    assert read_manifest(tmp_path / "run").measured.name == NOISY
    assert "changed" not in manifest(tmp_path / "run")


def test_a_server_that_moved_continues_with_a_note(tmp_path: Path) -> None:
    table = replies(limit=2)
    answered = 0

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        return table[json.dumps([body["messages"], body.get("tools")], ensure_ascii=False)]

    def faults(_number: int, _body: dict[str, Any]) -> Any:
        nonlocal answered
        answered += 1
        return status(400) if answered > 6 else None

    with serve(answer, faults) as server:
        old = server.base_url
        go(tmp_path / "run", "openai/mock", reached=options(old), limit=2)
    recorded = len(keys(tmp_path / "run"))
    assert recorded
    with serve(answer) as server:
        new = server.base_url
        moved = options(new, timeout=20.0, api_key="sk-another-key-000000")
        result = go(tmp_path / "run", "openai/mock", reached=moved, limit=2, concurrency=3)
    assert (result.outcome.done, result.outcome.failed) == (8 - recorded, 0)
    assert {note.split(": ", 1)[1] for note in result.notes} == {
        f"continuing with --base-url {new} (was {old})",
        "continuing with endpoint.timeout 20.0 (was 30.0)",
        "continuing with --concurrency 3 (was 8)",
    }
    (change,) = manifest(tmp_path / "run")["changed"]
    assert change["model.base_url"] == [old, new]
    assert change["limits.concurrency"] == [8, 3]
    assert manifest(tmp_path / "run")["model"]["base_url"] == new
    assert go(tmp_path / "run", "openai/mock", reached=moved, limit=2, concurrency=3).notes == ()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"reached": Sampling(temperature=0.5)}, "--temperature none, this command says 0.5"),
        ({"history": "own"}, "--history gold, this command says own"),
        ({"language": "zh"}, "--language en, this command says zh"),
        ({"model": "builtin/oracle"}, "-m builtin/noisy?seed=3&rate=0.4, this command says builtin/oracle"),
    ],
)
def test_another_question_or_model_is_refused_with_both_values(
    changed: dict[str, Any], said: str, tmp_path: Path
) -> None:
    go(tmp_path / "run", limit=1)
    before = {file.name: file.read_bytes() for file in (tmp_path / "run").iterdir()}
    if isinstance(sampling := changed.get("reached"), Sampling):
        changed = {"reached": options("http://127.0.0.1:9", sampling=sampling)}
    with pytest.raises(UsageError) as caught:
        go(tmp_path / "run", **{"limit": 1, **changed})
    assert f"was run with {said}" in str(caught.value)
    assert str(caught.value).endswith("choose another --out")
    assert {file.name: file.read_bytes() for file in (tmp_path / "run").iterdir()} == before

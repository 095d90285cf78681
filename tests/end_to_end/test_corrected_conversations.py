"""Which recorded conversations count on corrected data: those of which nobody would have been asked anything else."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sizes import sized
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.benchmarks.dialogues.benchmark import MINI, MINI_FILE
from toolgauge.chat import Reply, Request
from toolgauge.data.corrections import between, corrected_lines, encoded, read_corrections
from toolgauge.data.session import Dataset
from toolgauge.episode import Episode, Trajectory, drive
from toolgauge.models.builtin.models import noisy
from toolgauge.runs.corrections import Standing
from toolgauge.runs.scoring import score_all

SESSIONS = 6
FIELDS = ("english_tasks", "english_answer_list", "english_tools", "english_env_info")
MEANT = ("arguments", "observation", "user_input", "description")
Leaf = tuple[str | int, ...]


@cache
def records() -> list[dict[str, Any]]:
    with MINI_FILE.open(encoding="utf-8") as file:
        return [json.loads(line) for _unused, line in zip(range(SESSIONS), file, strict=False)]


def leaves(value: Any, at: Leaf = ()) -> Iterator[Leaf]:
    """The places of texts that a sound record may have otherwise: words, arguments, results."""
    if isinstance(value, str):
        if {"english_tasks", "english_env_info", *MEANT} & set(at) and at[-1] not in ("tool_name", "answer_type"):
            yield at
    elif isinstance(value, (dict, list)):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            if key != "missing_required_parameters":
                yield from leaves(part, (*at, key))


places = st.sampled_from([(n, leaf) for n in range(SESSIONS) for leaf in leaves({f: records()[n][f] for f in FIELDS})])


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def recorded(data: Dataset, setup: Setup) -> list[Trajectory]:
    play = noisy(5, 0.3)
    return [drive(MINI.episode(data, sample, setup), play) for sample in MINI.samples(data, setup)]


def played_again(episode: Episode, said: Trajectory) -> Trajectory | None:
    """None where it would have gone on."""
    left = list(said.replies)

    def answer(_request: Request) -> Reply:
        if not left:
            raise LookupError
        return left.pop(0)

    try:
        return drive(episode, answer)
    except LookupError:
        return None


@pytest.mark.parametrize("history", ["gold", "own"])
@settings(max_examples=sized(15, 60), deadline=None)
@given(chosen=st.lists(places, min_size=1, max_size=4, unique=True))
def test_what_counts_is_what_would_have_been_said_anyway(
    history: Literal["gold", "own"], chosen: list[tuple[int, Leaf]]
) -> None:
    setup = Setup(options={"history": history})
    edited = copy.deepcopy(records())
    for number, leaf in chosen:
        holder: Any = edited[number]
        for step in leaf[:-1]:
            holder = holder[step]
        holder[leaf[-1]] += "!" if "env_info" not in str(leaf[0]) else " "
    with TemporaryDirectory() as folder:
        before, file = write(Path(folder) / "before.jsonl", records()), Path(folder) / "corrections.jsonl"
        pairs = zip(records(), edited, strict=True)
        file.write_bytes(encoded(one for old, new in pairs for one in between(old["id"], old, new)))
        corrections = read_corrections(file)
        original, corrected = MINI.load(before, "en"), MINI.load(before, "en", corrections)
        after = Path(folder) / "after.jsonl"
        after.write_bytes(b"".join(corrected_lines(before, corrections)))
        direct = MINI.load(after, "en")
    assert corrected.sessions == direct.sessions, "read with corrections, or from a corrected file"
    said = recorded(original, setup)
    standing = Standing(MINI, setup, corrected, corrections.sha256)
    counting = [one for one in said if standing(one)]
    for one in said:
        (sample,) = MINI.samples(direct, Setup(ids=(one.task_id,), options={"history": history}))
        again = played_again(MINI.episode(direct, sample, setup), one)
        same = again is not None and again.steps == one.steps and again.tools == one.tools
        assert same == (one in counting), one.task_id
    assert score_all(MINI, corrected, counting) == score_all(MINI, direct, counting)

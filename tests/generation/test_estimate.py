"""`toolgauge generate --estimate`: means times prices; nothing is asked and nothing is written."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from tests.generation.scripted import demo_plan, played
from toolgauge.chat import Reply, Request, Usage
from toolgauge.demo import ScriptedAgents
from toolgauge.generation.estimate import estimate
from toolgauge.generation.spec import carry_out_generation
from toolgauge.models.builtin.models import oracle

AGENTS = ScriptedAgents("en")


def counting(request: Request) -> Reply:
    return replace(oracle(request), usage=Usage(1000, 100, 500))


def test_what_finished_dialogues_took_is_the_best_evidence(tmp_path: Path) -> None:
    carry_out_generation(played(demo_plan(tmp_path, paths="single", per_path=4), counting), 2)
    found = estimate(demo_plan(tmp_path, paths="single", per_path=4), AGENTS)
    assert (found.dialogues, found.done, found.basis, found.evidence) == (0, 4, "finished", 4)
    first = (tmp_path / "trajectories.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "trajectories.jsonl").write_bytes(b"".join(first[:2]))
    found = estimate(demo_plan(tmp_path, paths="single", per_path=4), AGENTS)
    assert (found.dialogues, found.done, found.basis, found.evidence) == (2, 2, "finished", 2)
    assert found.total.input == 1000 * found.total.requests
    assert found.total.requests == 2 * 5
    assert found.least.requests < found.total.requests < found.most.requests


def test_otherwise_scripted_agents_play_a_few(tmp_path: Path) -> None:
    found = estimate(demo_plan(tmp_path / "g", tasks=3), AGENTS)
    assert (found.dialogues, found.done, found.basis, found.evidence) == (64, 0, "played", 16)
    assert 10 * 64 < found.total.requests < 26 * 64
    assert found.total.input > found.total.cached > 0
    assert found.total.requests == sum(one.requests for one in found.models.values())
    assert not (tmp_path / "g").exists()

"""Every provider of the table, played as strictly as it documents: a run against it is the oracle's."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

import toolgauge
from tests.models.fake_apis import CACHED, INPUT, OUTPUT, REASONING
from tests.models.fakes import MANNERS, Fake, playing, script
from toolgauge.errors import ToolgaugeError
from toolgauge.models import Sampling
from toolgauge.models.provider import PROVIDERS
from toolgauge.models.providers import find_provider
from toolgauge.runs.store import read_trajectories

KEY = "key-of-mine-0123456789abcdef"
SET = Sampling(
    temperature=0.3, max_tokens=512, seed=7, parallel_tool_calls=True, frequency_penalty=0.1, reasoning_effort="low"
)
LEFT_OUT = {
    "openai-responses": ["seed", "frequency_penalty"],
    "anthropic": ["seed", "frequency_penalty"],
    "gemini": ["parallel_tool_calls"],
    "qwen": ["frequency_penalty"],
    "zhipu": ["seed", "frequency_penalty", "parallel_tool_calls"],
    "xai": ["frequency_penalty"],
    "doubao": ["seed"],
    "hunyuan": ["frequency_penalty", "parallel_tool_calls"],
    "ollama": ["parallel_tool_calls"],
}


def go(fake: Fake, out: Path, **more: Any) -> toolgauge.RunResult:
    arguments: dict[str, Any] = {"base_url": fake.base_url, "api_key": KEY, "out": out, "limit": 2, "patience": 0.0}
    return toolgauge.run("mini", f"{fake.name}/some-model", **(arguments | {"max_attempts": 1} | more))


def files(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The scores of the built-in oracle."""
    folder = tmp_path_factory.mktemp("oracle")
    toolgauge.run("mini", "builtin/oracle", out=folder, limit=2)
    return (folder / "scores.jsonl").read_bytes()


@pytest.mark.parametrize("name", MANNERS)
def test_the_contract(
    name: str, oracle: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """A run scores what the oracle scores and counts its tokens; what a provider does not take is not sent, and
    written down; no key in files, logs, output or errors, though the server repeats it."""
    caplog.set_level(logging.DEBUG)
    with playing(name, KEY) as fake:
        at, there = PROVIDERS[name].base_url, fake.base_url.split("/", 3)[3:]
        assert not at or there == at.split("/", 3)[3:], "the fake stands at the path of the real one"
        result = go(fake, tmp_path / "run", sampling=SET if name != "openai" else Sampling(seed=7))
        assert fake.refusals == []
        sent = fake.server.requests[0]
        fake.key = "another"  # from now on the server refuses ours, and quotes it
        go(fake, tmp_path / "refused")
        assert any(KEY in words for words in fake.refusals), "the server did repeat it"
        with pytest.raises(ToolgaugeError) as caught:
            toolgauge.run("mini", f"{name}/some-model", base_url="nowhere", api_key=KEY, out=tmp_path / "nowhere")
    assert (result.outcome.failed, result.outcome.done) == (0, 8)
    assert (tmp_path / "run/scores.jsonl").read_bytes() == oracle
    for trajectory in read_trajectories(tmp_path / "run"):
        for reply in trajectory.replies:
            used = reply.usage
            assert (used.input_tokens, used.output_tokens, used.cached_tokens) == (INPUT, OUTPUT, CACHED)
            assert used.reasoning_tokens == REASONING
    manifest = json.loads((tmp_path / "run/run.json").read_bytes())["model"]
    left_out = LEFT_OUT.get(name, []) if name != "openai" else []
    assert (manifest["provider"], sorted(manifest.get("left_out", []))) == (name, sorted(left_out))
    assert not set(sent) & set(left_out)
    shown = capfd.readouterr()
    assert KEY.encode() not in files(tmp_path)
    assert b"HTTP 401" in files(tmp_path / "refused")
    for text in (caplog.text, shown.out, shown.err, str(caught.value), repr(caught.value), repr(find_provider(name))):
        assert KEY not in text


@pytest.mark.parametrize(
    "name", ["mistral", "hunyuan", "anthropic", "gemini", "deepseek", "openai-responses", "moonshot"]
)
def test_a_conversation_with_mistakes_stays_acceptable(name: str, tmp_path: Path) -> None:
    """Over its own history, the user speaks right after results, and twice where a reply was empty."""
    player = "builtin/noisy?seed=3&rate=0.6"
    with playing(name, KEY, script("own", 4, player)) as fake:
        result = go(fake, tmp_path / "run", limit=4, history="own")
    assert fake.refusals == []
    assert result.outcome.failed == 0
    toolgauge.run("mini", player, out=tmp_path / "noisy", limit=4, history="own")
    assert (tmp_path / "run/scores.jsonl").read_bytes() == (tmp_path / "noisy/scores.jsonl").read_bytes()

"""The command lines of engines: parsers, templates and options as the engines' own pages give them."""

from __future__ import annotations

import importlib.util
import shlex
import stat
import sys
from pathlib import Path

import pytest

from tests.rows import rows
from toolgauge.errors import UsageError
from toolgauge.models.engines.command import ServeRequest, Serving, choose_engine, plan_serving
from toolgauge.models.engines.engine import ENGINES


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A path with an empty folder; no engine can be imported either."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    return folder


def plan(engine: str, model: str, **options: object) -> Serving:
    return plan_serving(ServeRequest(model, **options), *choose_engine(engine, must_run=False))  # type: ignore[arg-type]


def flags(engine: str, model: str, **options: object) -> str:
    """What comes after the address."""
    line = shlex.join(plan(engine, model, **options).command)
    return line.partition(f"--port {ENGINES[engine].port}")[2].strip()


@rows(
    ("engine", "model", "expected"),
    [
        ("vllm", "Qwen/Qwen2.5-7B-Instruct", "--tool-call-parser hermes"),
        ("vllm", "Qwen/Qwen3-8B", "--tool-call-parser hermes --reasoning-parser qwen3"),
        ("vllm", "Qwen/Qwen3-Coder-30B-A3B-Instruct", "--tool-call-parser qwen3_xml"),
        ("vllm", "openai/gpt-oss-20b", "--tool-call-parser openai --reasoning-parser openai_gptoss"),
        ("vllm", "google/gemma-4-E2B-it", "--tool-call-parser gemma4 --reasoning-parser gemma4"),
        ("sglang", "Qwen/Qwen2.5-7B-Instruct", "--tool-call-parser qwen"),
        ("sglang", "Qwen/Qwen3-Coder-30B-A3B-Instruct", "--tool-call-parser qwen3_coder"),
        ("sglang", "tencent/Hy3-FP8", "--tool-call-parser hunyuan --reasoning-parser hunyuan"),
        ("sglang", "openai/gpt-oss-120b", "--tool-call-parser gpt-oss --reasoning-parser gpt-oss"),
        ("transformers", "Qwen/Qwen3-8B", ""),
    ],
)
def test_a_familys_flags(engine: str, model: str, expected: str) -> None:
    automatic = "--enable-auto-tool-choice " if engine == "vllm" else ""
    assert flags(engine, model) == (automatic + expected if expected else "")
    assert "--dialect" not in plan(engine, model).run


@rows(
    ("engine", "model", "dialect"),
    [
        ("sglang", "Salesforce/Llama-xLAM-2-8b-fc-r", "xlam2"),
        ("transformers", "openai/gpt-oss-20b", "gpt-oss"),
        ("vllm", "google/gemma-3-4b-it", "gemma"),
        ("vllm", "deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct", "generic"),
        ("transformers", "CohereLabs/command-a-reasoning-08-2025", "generic"),  # known, but to no dialect
    ],
)
def test_without_a_parser_the_dialect_reads_the_text(engine: str, model: str, dialect: str) -> None:
    serving = plan(engine, model)
    assert "parser" not in shlex.join(serving.command)
    assert serving.run[-2:] == ("--dialect", dialect)
    assert ["has no tool-call parser for this model family" in str(note) for note in serving.notes] == [True]
    assert f"dialect {dialect}" in serving.notes[0]


def test_a_whole_line() -> None:
    assert shlex.join(plan("vllm", "Qwen/Qwen3-8B").command) == (
        "vllm serve Qwen/Qwen3-8B --host 127.0.0.1 --port 8000"
        " --enable-auto-tool-choice --tool-call-parser hermes --reasoning-parser qwen3"
    )
    assert shlex.join(plan("sglang", "Qwen/Qwen2.5-7B-Instruct").command) == (
        "sglang serve --model-path Qwen/Qwen2.5-7B-Instruct --host 127.0.0.1 --port 30000 --tool-call-parser qwen"
    )
    assert shlex.join(plan("transformers", "Qwen/Qwen2.5-7B-Instruct", port=9000).command) == (
        "transformers serve Qwen/Qwen2.5-7B-Instruct --host 127.0.0.1 --port 9000"
    )
    assert shlex.join(plan("sglang", "Qwen/Qwen2.5-7B-Instruct").run) == (
        "toolgauge run mini -m sglang/Qwen/Qwen2.5-7B-Instruct --base-url http://127.0.0.1:30000/v1 --limit 8"
    )


def test_options_become_the_engines_own() -> None:
    every = {"context_length": 8192, "template": "t.jinja", "trust_remote_code": True, "extra": ("--seed", "1")}
    vllm = flags("vllm", "Qwen/Qwen2.5-7B-Instruct", parser="xlam", **every)
    assert vllm == (
        "--enable-auto-tool-choice --tool-call-parser xlam --chat-template t.jinja --max-model-len 8192"
        " --trust-remote-code --seed 1"
    )
    sglang = flags("sglang", "Qwen/Qwen2.5-7B-Instruct", **every)
    assert sglang == (
        "--tool-call-parser qwen --chat-template t.jinja --context-length 8192 --trust-remote-code --seed 1"
    )


@rows(
    ("engine", "options", "said"),
    [
        ("transformers", {"context_length": 10}, "--context-length"),
        ("transformers", {"template": "t"}, "--template"),
        ("transformers", {"parser": "hermes"}, "--parser"),
        ("vllm", {"extra": ("--port=1",)}, "--port"),
        ("vllm", {"extra": ("--seed", "1", "--host", "x")}, "--host"),
        ("vllm", {"extra": ("another/model",)}, "one model"),
        ("nobody", {}, "choose one of vllm, sglang, transformers"),
    ],
)
def test_what_cannot_be(engine: str, options: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        plan(engine, "Qwen/Qwen3-8B", **options)


@rows(
    ("host", "address", "notes"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000/v1", []),
        ("localhost", "http://localhost:8000/v1", []),
        ("::1", "http://[::1]:8000/v1", []),
        ("0.0.0.0", "http://127.0.0.1:8000/v1", [True]),
        ("::", "http://[::1]:8000/v1", [True]),
        ("192.0.2.7", "http://192.0.2.7:8000/v1", [True]),
    ],
)
def test_addresses(host: str, address: str, notes: list[bool]) -> None:
    serving = plan("vllm", "Qwen/Qwen2.5-7B-Instruct", host=host)
    assert serving.base_url == address
    assert ["is reachable from other machines" in str(note) for note in serving.notes] == notes


def program(folder: Path, name: str) -> None:
    file = folder / name
    file.write_text("#!/bin/sh\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


def test_the_first_installed_engine_is_taken(nothing_installed: Path) -> None:
    with pytest.raises(UsageError, match=r"pip install vllm.*pip install sglang.*toolgauge\[local\]"):
        choose_engine(None)
    program(nothing_installed, "transformers")
    assert choose_engine(None)[0].name == "transformers"
    program(nothing_installed, "vllm")
    assert choose_engine(None)[1] == ("vllm", "serve")


def test_an_engine_that_is_not_here_is_said(nothing_installed: Path) -> None:
    with pytest.raises(UsageError, match="SGLang is not installed; install it with: pip install sglang"):
        choose_engine("sglang")
    assert choose_engine("sglang", must_run=False)[1] == ("sglang", "serve")

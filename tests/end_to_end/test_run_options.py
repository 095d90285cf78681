"""The options of a run are declared once: the Python API, its types and the command line agree by name and default."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import pytest
from typer.main import get_command

import toolgauge
from toolgauge.benchmarks.benchmark import options_of
from toolgauge.benchmarks.registry import OURS, find_benchmark
from toolgauge.cli.main import app
from toolgauge.errors import UsageError
from toolgauge.generation.dialogue_options import GenerationOptions
from toolgauge.generation.options import GenerateKeywords, GenerateOptions
from toolgauge.models.model import ModelOptions, Sampling
from toolgauge.runs.options import EndpointOptions, OwnKeywords, RunKeywords, RunOptions, VerifyKeywords, VerifyOptions
from toolgauge.runs.run import ExecutionOptions

SAMPLING = {"temperature", "top_p", "max_tokens", "seed", "reasoning_effort", "extra_body"}
FLAGS = {
    "run": {"options": set(), "max_reply_bytes": {"max_reply"}, "sampling": SAMPLING, "engine": set()},
    "verify": {"options": set(), "max_reply_bytes": {"max_reply"}, "sampling": SAMPLING, "engine": set()},
    "generate": {
        "max_reply_bytes": {"max_reply"},
        "sampling": SAMPLING - {"seed"} | {"sampling_seed"},
        "engine": set(),
        "user_models": {"user_model"},
        "base_urls": {f"{role}_base_url" for role in ("user", "planner", "tool", "agent", "checker")},
        "gates": {"gates", "no_gate"},
    },
}
"""Options that the command line calls differently or says in several flags."""
ITS_OWN = {
    "run": {"benchmark", "model", "agent", "no_probe", "engine", "address", "workers", "reading"},
    "verify": {"benchmark", "model", "against", "no_probe", "engine", "address", "workers", "pass_undecided", "json"},
    "generate": {"model", "demo", "noise", "estimate", "no_probe", "engine", "address", "workers"},
}
"""Flags that are no option of the Python API (engine, address, workers: `on_ray(address, workers)` there)."""
SUBJECTS = {"benchmark", "model", "run", "against", "tell"}
"""Parameters of the Python API that are no options."""
VERBS = [
    ("run", RunOptions, RunKeywords),
    ("verify", VerifyOptions, VerifyKeywords),
    ("generate", GenerateOptions, GenerateKeywords),
]


def defaults(options: type[msgspec.Struct]) -> dict[str, Any]:
    return {field.name: field.default for field in msgspec.structs.fields(options)}


@pytest.mark.parametrize(("verb", "options", "keywords"), VERBS)
def test_keywords_are_typed_as_the_options_are(verb: str, options: type[EndpointOptions], keywords: Any) -> None:
    own = {} if verb == "generate" else get_type_hints(OwnKeywords)
    assert get_type_hints(keywords) == get_type_hints(options) | own
    parameters = inspect.signature(getattr(toolgauge, verb)).parameters
    shown = {name: one.default for name, one in parameters.items() if name not in SUBJECTS}
    assert shown == defaults(options) | dict.fromkeys(own)


def test_keywords_of_benchmarks_are_their_options() -> None:
    hints = {name: hint for one in OURS for name, hint in get_type_hints(options_of(find_benchmark(one))).items()}
    listed = {name: Sequence[str] if hint == tuple[str, ...] else hint | None for name, hint in hints.items()}
    assert get_type_hints(OwnKeywords) == listed


def test_options_of_benchmarks_are_on_the_command_line() -> None:
    command: Any = get_command(app).commands["run"]  # type: ignore[attr-defined]
    common = list(command.params)
    command.offer(OURS)
    own = [one for one in command.params if one not in common]
    assert [one.opts for one in own] == [["--history"], ["--category"], ["--style"], ["--max-turns"]]
    assert [one.help.partition(":")[0] for one in own] == ["mini, wildtoolbench, mmtb", *["acebench"] * 3]
    assert all(one.default is None for one in own)


@pytest.mark.parametrize(
    ("args", "offered"),
    [
        (("mini",), ["--history"]),
        (("mini", "--style", "native"), ["--history", "--category", "--style", "--max-turns"]),
        (("acebench", "--style", "native"), ["--category", "--style", "--max-turns"]),
        (("acebench", "--help"), ["--history", "--category", "--style", "--max-turns"]),
        (("nobody's",), ["--history", "--category", "--style", "--max-turns"]),
    ],
)
def test_what_is_offered_is_what_the_named_benchmark_has(args: tuple[str, ...], offered: list[str]) -> None:
    command: Any = get_command(app).commands["run"]  # type: ignore[attr-defined]
    common = list(command.params)
    command.make_context("run", [*args, "-m", "builtin/oracle"], resilient_parsing=True)
    assert [flag for one in command.params if one not in common for flag in one.opts] == offered


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"style": "native"}, "--style: mini has no such option"),
        ({"history": "mine"}, "--history 'mine' is not known; choose gold, own"),
        ({"options": {"history": 3}}, "--history 3 is not known; choose gold, own"),
    ],
)
def test_options_that_a_benchmark_does_not_take(options: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        toolgauge.run("mini", "builtin/oracle", out=tmp_path / "run", **options)


@pytest.mark.parametrize(("verb", "options", "keywords"), VERBS)
def test_every_option_has_its_flag(verb: str, options: type[EndpointOptions], keywords: Any) -> None:
    flags = {str(one.name): one.default for one in get_command(app).commands[verb].params}  # type: ignore[attr-defined]
    named = {name: FLAGS[verb].get(name, {name}) for name in defaults(options)}
    assert set().union(*named.values()) | ITS_OWN[verb] == set(flags)
    for name, default in defaults(options).items():
        if named[name] == {name} and default not in (None, ()):
            assert flags[name] == default, name
    assert flags["max_reply"] * 1e6 == defaults(options)["max_reply_bytes"]


def test_options_are_those_of_models_and_generations() -> None:
    assert RunOptions().model_options() == ModelOptions()
    every = RunOptions(concurrency=3, base_url="http://h/v1", api_key="k", sampling=Sampling(seed=1), dialect="auto")
    assert every.model_options() == ModelOptions(
        concurrency=3, base_url="http://h/v1", api_key="k", sampling=Sampling(seed=1), dialect="auto"
    )
    assert GenerateOptions().generation_options() == GenerationOptions()
    assert RunOptions().limits().keys() <= ExecutionOptions.__annotations__.keys()


def test_options_are_shown_without_keys() -> None:
    shown = repr(
        RunOptions(api_key="sk-hidden", base_url="http://me:letmein@h/v1", user_base_url="http://me:letmein@u")
    )
    shown += repr(GenerateOptions(base_urls={"user": "http://me:letmein@u"}))
    assert "language='en'" in shown
    assert "sk-hidden" not in shown
    assert "letmein" not in shown


def test_a_keyword_that_does_not_exist_is_refused() -> None:
    with pytest.raises(TypeError, match="limits"):
        toolgauge.run("mini", "builtin/oracle", limits=1)  # type: ignore[call-arg]

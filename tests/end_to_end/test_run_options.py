"""The options of a run: keywords have their types and defaults, and benchmarks theirs."""

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
from toolgauge.generation.options import GenerateKeywords, GenerateOptions
from toolgauge.runs.options import EndpointOptions, OwnKeywords, RunKeywords, RunOptions, VerifyKeywords, VerifyOptions

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

"""What is taken from the installed bfcl-eval: entries, functions, worlds and the checker of multi_turn."""

from __future__ import annotations

import ast
import atexit
import importlib
import inspect
import json
import keyword
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from msgspec import Struct

# Importing bfcl-eval makes three folders for its results, by default in site-packages; nothing is written into them.
if "BFCL_PROJECT_ROOT" not in os.environ:
    os.environ["BFCL_PROJECT_ROOT"] = tempfile.mkdtemp(prefix="toolgauge-bfcl-")
    atexit.register(shutil.rmtree, os.environ["BFCL_PROJECT_ROOT"], ignore_errors=True)

from bfcl_eval import utils
from bfcl_eval.constants import default_prompts
from bfcl_eval.constants.enums import ModelStyle
from bfcl_eval.constants.executable_backend_config import CLASS_FILE_PATH_MAPPING
from bfcl_eval.constants.type_mappings import GORILLA_TO_OPENAPI
from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import multi_turn_checker
from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_utils import execute_multi_turn_func_call
from bfcl_eval.model_handler.utils import convert_to_function_call, convert_to_tool

Json = dict[str, Any]
MORE_TOOLS: str = default_prompts.DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC
"""What the user says where functions are added."""
MAXIMUM_STEP_LIMIT: int = default_prompts.MAXIMUM_STEP_LIMIT
"""Replies with calls in one turn; one more ends the conversation."""
WEATHER = threading.Lock()
"""With long context the original keeps the temperature outside in a dictionary that all worlds share."""


def entries(data: Path, category: str) -> list[tuple[Json, list[list[str]]]]:
    """The entries of a category, each with its annotated calls by turn. data: a folder laid out like bfcl_eval/data."""
    name = f"BFCL_v4_multi_turn_{category}.json"
    answers = utils.load_file(data / "possible_answer" / name, use_lock=False)
    gold = {answer["id"]: answer["ground_truth"] for answer in answers}
    read = utils.populate_test_cases_with_predefined_functions(utils.load_file(data / name, use_lock=False))
    return [(entry, gold[entry["id"]]) for entry in utils.add_language_specific_hint_to_function_doc(read)]


def function_definitions(functions: Sequence[Json]) -> list[Json]:
    """Functions as OpenAI-compatible endpoints expect them; what they return is told in their descriptions."""
    return [tool["function"] for tool in convert_to_tool(functions, GORILLA_TO_OPENAPI, ModelStyle.FIREWORK_AI)]


def gold_calls(entry: Json, gold: Sequence[Sequence[str]]) -> list[list[Json]]:
    """The annotated calls of each turn as a model would make them: names, and all arguments by name."""
    methods = _methods(tuple(entry["involved_classes"]))

    def made(expression: str) -> Json:
        call: Any = ast.parse(expression, mode="eval").body
        names = list(inspect.signature(methods[call.func.id]).parameters)[1:]  # without self
        given = dict(zip(names, call.args, strict=False)) | {one.arg: one.value for one in call.keywords}
        return {"name": call.func.id, "arguments": {name: ast.literal_eval(value) for name, value in given.items()}}

    return [[made(expression) for expression in turn] for turn in gold]


def expressions(entry: Json, calls: Sequence[tuple[str | None, Any]]) -> list[str]:
    """The calls of a reply (names, and arguments as JSON text) as the original evaluates them: Python expressions.

    Raises what the original's decoder raises for arguments that are no JSON object. The original evaluates whatever a
    model gives as a name. Here a call of anything but a method of the entry's worlds, or with arguments that cannot be
    names in Python, becomes one that fails as calls of unknown functions do.
    """
    methods, made = _methods(tuple(entry["involved_classes"])), []
    for name, arguments in calls:
        (expression,) = convert_to_function_call([{name: arguments}])
        keys = json.loads(arguments) if isinstance(arguments, str) else arguments
        harmless = name in methods and all(key.isidentifier() and not keyword.iskeyword(key) for key in keys)
        made.append(expression if harmless else f"not_on_offer({str(name)!r})")
    return made


def not_on_offer(name: str) -> None:
    """What a call of an unknown function comes to."""
    raise NameError(f"name {name!r} is not defined")


class World:
    """The objects that the calls of one conversation work on."""

    def __init__(self, entry: Json) -> None:
        self._entry, self._execute = entry, _executor()

    def __call__(self, calls: Sequence[str]) -> list[str]:
        """The results of calls (see `expressions`), in their order."""
        entry = self._entry
        chosen = (entry["initial_config"], entry["involved_classes"], "toolgauge", entry["id"])
        results, _ = self._execute(list(calls), *chosen, long_context="long_context" in entry["id"])
        return list(results)


class Verdict(Struct, frozen=True):
    """What the original says of a conversation. mistake: its error type, None for a right one; turn: the last that it
    looked at (from 0); states: what was expected and what there was, where it says both; error: what it raised."""

    mistake: str | None
    turn: int
    states: tuple[Any, Any] | None = None
    error: str = ""


def check(entry: Json, gold: Sequence[Sequence[str]], turns: Sequence[Sequence[Sequence[str]]]) -> Verdict:
    """Judge a conversation by the calls of each reply of each turn (see `expressions`)."""
    if len(turns) != len(gold):
        return Verdict("force_terminated", len(turns) - 1)
    turn, execute = -1, _executor()

    def execute_and_count(*positional: Any, **named: Any) -> Any:
        nonlocal turn
        turn += named["model_name"].endswith("_ground_truth")  # once in each turn, before anything is compared
        return execute(*positional, **named)

    checker = _with_globals(multi_turn_checker, execute_multi_turn_func_call=execute_and_count)
    try:
        found = checker(turns, gold, entry, "", "toolgauge")
        if found["valid"]:
            return Verdict(None, turn)
        return Verdict(found["error_type"].removeprefix("multi_turn:"), turn, _states(found["details"]))
    except Exception as error:  # worlds that it cannot compare
        return Verdict("checker_failed", turn, error=f"{type(error).__name__}: {error}")


def _states(details: Json) -> tuple[Any, Any] | None:
    """What differs: of two worlds their attributes, of results those that are missing and those there were."""
    if "differences" in details:
        pairs = details["differences"].items()
        expected, actual = ({name: pair[side] for name, pair in pairs} for side in ("ground_truth", "model"))
        return _plain(expected), _plain(actual)
    if "missing_items" in details:
        return details["missing_items"], details["model_response (including all previous turns)"]
    return None


def _plain(value: Any) -> Any:
    """A state as JSON; of a file its content, of a folder its files."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(one) for one in value]
    for attribute in ("contents", "content"):
        if hasattr(value, attribute):
            return _plain(getattr(value, attribute))
    return value if value is None or isinstance(value, str | int | float) else str(value)


@cache
def _methods(worlds: tuple[str, ...]) -> dict[str, Callable[..., Any]]:
    """What can be called in an entry's worlds, by name."""
    modules = [(importlib.import_module(CLASS_FILE_PATH_MAPPING[name]), name) for name in worlds]
    members = (member for module, name in modules for member in inspect.getmembers(getattr(module, name)))
    return {name: method for name, method in members if inspect.isfunction(method) and not name.startswith("_")}


def _executor() -> Callable[..., Any]:
    """The original's function that carries out calls, with worlds of its own.

    The original keeps worlds among the globals of its module, by entry: a second conversation over the same entry, or
    the judging of it, would begin where the first one ended.
    """
    execute = _with_globals(execute_multi_turn_func_call, not_on_offer=not_on_offer)

    def execute_alone(*positional: Any, **named: Any) -> Any:
        with WEATHER:
            return execute(*positional, **named)

    return execute_alone


def _with_globals(function: Callable[..., Any], **replaced: Any) -> Callable[..., Any]:
    """A function of the original with globals of its own, some of them replaced."""
    own = {**function.__globals__, **replaced}
    return FunctionType(function.__code__, own, function.__name__, function.__defaults__)

"""What is taken from the installed bfcl-eval: entries, tools, worlds and the checker of its multi_turn categories."""

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
from pathlib import Path
from types import FunctionType
from typing import Any

# Importing bfcl-eval makes three folders for its results beside itself; here nothing is written into them.
if "BFCL_PROJECT_ROOT" not in os.environ:
    os.environ["BFCL_PROJECT_ROOT"] = tempfile.mkdtemp(prefix="toolgauge-bfcl-")
    atexit.register(shutil.rmtree, os.environ["BFCL_PROJECT_ROOT"], ignore_errors=True)

from bfcl_eval.constants.default_prompts import DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC as MORE_TOOLS
from bfcl_eval.constants.default_prompts import MAXIMUM_STEP_LIMIT
from bfcl_eval.constants.enums import ModelStyle
from bfcl_eval.constants.executable_backend_config import CLASS_FILE_PATH_MAPPING
from bfcl_eval.constants.type_mappings import GORILLA_TO_OPENAPI
from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import multi_turn_checker
from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_utils import execute_multi_turn_func_call
from bfcl_eval.model_handler.utils import convert_to_function_call, convert_to_tool
from bfcl_eval.utils import (
    add_language_specific_hint_to_function_doc,
    load_file,
    populate_test_cases_with_predefined_functions,
)
from msgspec import Struct

Json = dict[str, Any]
WEATHER = threading.Lock()
"""Of all worlds: with long context the original keeps the temperature outside in a dictionary that they share."""


def entries(data: Path, category: str) -> list[tuple[Json, list[list[str]]]]:
    """The entries of a category ("base", "miss_func", "miss_param", "long_context") with their annotated calls.

    data: a folder laid out as bfcl_eval/data is.
    """
    name = f"BFCL_v4_multi_turn_{category}.json"
    answers = load_file(data / "possible_answer" / name, use_lock=False)
    gold = {answer["id"]: answer["ground_truth"] for answer in answers}
    read = populate_test_cases_with_predefined_functions(load_file(data / name, use_lock=False))
    return [(entry, gold[entry["id"]]) for entry in add_language_specific_hint_to_function_doc(read)]


def function_definitions(functions: Sequence[Json]) -> list[Json]:
    """Functions as OpenAI-compatible endpoints expect them; what they return is added to their descriptions."""
    return [tool["function"] for tool in convert_to_tool(functions, GORILLA_TO_OPENAPI, ModelStyle.FIREWORK_AI)]


def expressions(entry: Json, calls: Sequence[tuple[str | None, Any]]) -> list[str]:
    """The calls of a reply (names, and arguments as JSON text) as the original evaluates them: Python expressions.

    Raises what the original's decoder raises for arguments that are no JSON object: the turn ends there. A call of
    anything but a method of the entry's worlds, or with arguments that Python does not take as names, becomes one that
    fails: a model's reply must not run code.
    """
    methods = {name for world in _classes(entry) for name in _methods(world)}
    made = []
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
    """The objects that the calls of one conversation work on, in their state of the moment.

    The original keeps them among the globals of its module, by entry: a second conversation over the same entry, or the
    judging of it, would begin where the first one ended. Here each `World` runs the original's function with globals of
    its own.
    """

    def __init__(self, entry: Json) -> None:
        self._entry = entry
        self._execute = _with_globals(execute_multi_turn_func_call, not_on_offer=not_on_offer)

    def __call__(self, calls: Sequence[str]) -> list[str]:
        """The results of calls (see `expressions`), in their order."""
        category = self._entry["id"].rpartition("_")[0]
        with WEATHER:
            results, _ = self._execute(
                list(calls),
                self._entry["initial_config"],
                self._entry["involved_classes"],
                "toolgauge",
                self._entry["id"],
                long_context="long_context" in category,
            )
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
    turn = -1
    own = _with_globals(execute_multi_turn_func_call, not_on_offer=not_on_offer)

    def execute(*positional: Any, **named: Any) -> Any:
        nonlocal turn
        turn += named["model_name"].endswith("_ground_truth")  # run once a turn, before anything is compared
        with WEATHER:
            return own(*positional, **named)

    checker = _with_globals(multi_turn_checker, execute_multi_turn_func_call=execute)
    try:
        found = checker(turns, gold, entry, "", "toolgauge")
        if found["valid"]:
            return Verdict(None, turn)
        return Verdict(found["error_type"].removeprefix("multi_turn:"), turn, _states(found["details"]))
    except Exception as error:  # worlds that it cannot compare: a folder moved into itself, for one
        return Verdict("checker_failed", turn, error=f"{type(error).__name__}: {error}")


def _states(details: Json) -> tuple[Any, Any] | None:
    """What differs: of two worlds their attributes, of results those that are missing and those there were."""
    if "differences" in details:
        pairs = details["differences"].items()
        expected, actual = ({name: pair[side] for name, pair in pairs} for side in ("ground_truth", "model"))
        return _plain(expected), _plain(actual)
    if "missing_items" in details:
        return _plain(details["missing_items"]), _plain(details["model_response (including all previous turns)"])
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


def gold_calls(entry: Json, gold: Sequence[Sequence[str]]) -> list[list[tuple[str, Json]]]:
    """The annotated calls of each turn, as a model would make them: by name, all arguments named."""
    signatures = {name: inspect.signature(method) for world in _classes(entry) for name, method in _methods(world).items()}

    def made(expression: str) -> tuple[str, Json]:
        call = ast.parse(expression, mode="eval").body
        assert isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        names = list(signatures[call.func.id].parameters)[1:]  # without self
        given = {str(keyword.arg): keyword.value for keyword in call.keywords}
        given |= dict(zip(names, call.args, strict=False))
        return call.func.id, {name: ast.literal_eval(value) for name, value in given.items()}

    return [[made(expression) for expression in turn] for turn in gold]


def _classes(entry: Json) -> list[type]:
    return [getattr(importlib.import_module(CLASS_FILE_PATH_MAPPING[name]), name) for name in entry["involved_classes"]]


def _methods(world: type) -> Mapping[str, Callable[..., Any]]:
    return {name: method for name, method in inspect.getmembers(world, inspect.isfunction) if name[0] != "_"}


def _with_globals(function: Callable[..., Any], **replaced: Any) -> Callable[..., Any]:
    """A function of the original with globals of its own, some of them replaced."""
    own = {**function.__globals__, **replaced}
    return FunctionType(function.__code__, own, function.__name__, function.__defaults__)

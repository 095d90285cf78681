"""Lists of Python-like calls: Llama 3.2 and 4, ToolACE, ToolACE 2, watt-tool; and the calls of Gorilla OpenFunctions.

Read by the bounded reader of ACEBench's lists (ace_dialect.py); nothing is ever run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from toolgauge.call_problems import CallProblem, UnreadCall
from toolgauge.models.dialects.ace import Undecodable, decode_exact
from toolgauge.models.dialects.ace_dialect import Lists, as_python, mended, take_call
from toolgauge.models.dialects.bounded import STRING
from toolgauge.models.dialects.dialect import Parsed, PlainCall, Result
from toolgauge.models.dialects.family import Family, write_json
from toolgauge.models.dialects.format_spec import FormatSpec, contents, functions, tool_blocks
from toolgauge.models.dialects.json_block import LLAMA_CALLS
from toolgauge.models.dialects.reading import Reading
from toolgauge.models.dialects.tag_json import VARIANT

_PYTHON_MARK = re.compile(r"\A\s*<\|python_(?:tag|start)\|>|<\|(?:python_end|eom_id|eot_id|eot)\|>\s*\Z")


def _untagged(text: str) -> str:
    """Without the marks that Llama writes around a list."""
    return _PYTHON_MARK.sub("", text)


LLAMA_PYTHONIC = Family(
    "llama-pythonic",
    "Llama 3.2 and 4 (Python-like)",
    FormatSpec("llama-pythonic", Lists(), tool_blocks, as_python, contents, tidy=_untagged),
    models=(r"llama-4-(scout|maverick)-17b-\d+e-instruct" + VARIANT,),
    result_role="tool",
    one_by_one=True,
)


def _named_results(results: Sequence[Result]) -> str:
    return write_json([{"name": result.name, "results": result.content} for result in results])


TOOLACE = Family(
    "toolace",
    "ToolACE 8B",
    FormatSpec("toolace", Lists(), functions, as_python, _named_results),
    models=(r"toolace-8b" + VARIANT,),
    result_role="tool",
)

TOOLACE2 = Family(
    "toolace2",
    "ToolACE 2",
    FormatSpec("toolace", Lists(LLAMA_CALLS), functions, as_python, _named_results, tidy=_untagged),
    models=(r"toolace-2-(llama-3\.1-)?8b" + VARIANT,),
    result_role="tool",
)

WATT = Family(
    "watt",
    "watt-tool 8B and 70B",
    FormatSpec("toolace", Lists(), functions, as_python, contents),
    models=(r"watt-tool-(8|70)b" + VARIANT,),
    result_role="tool",
    one_by_one=True,
)

_FUNCTION = "<<function>>"
_IN_CALL = re.compile(rf"[()]|{STRING}|[\"']", re.DOTALL)
_BARE = re.compile(r"\s*+[^\s\[\](){},=:'\"<>]++\(")


_COMMA = re.compile(r"\s*+,")


class OpenFunctions(Struct, frozen=True):
    """A `Reader`: each call behind `<<function>>`, or nothing but calls and commas."""

    def read(self, text: str) -> Parsed:
        reading = Reading(text)
        before, *pieces = text.split(_FUNCTION)
        if not pieces and _BARE.match(text) and text.rstrip().endswith(")"):
            before, pieces = "", [text]
        reading.say(before)
        for piece in pieces:
            _take_piece(reading, piece)
        return reading.result()


def _take_piece(reading: Reading, piece: str) -> None:
    """Takes the calls at the beginning of a piece; the rest of the piece (all of it, if no call is found) is text."""
    end = _behind_calls(piece)
    before = len(reading.calls)
    try:
        if not end:
            raise UnreadCall(CallProblem.CUT_OFF)
        decoded = decode_exact(mended(f"[{piece[:end]}]"))
        if isinstance(decoded, Undecodable):
            raise UnreadCall(CallProblem.BROKEN_LIST)
        for call in decoded:
            take_call(reading, call)
    except UnreadCall as unread:
        del reading.calls[before:]
        if _FUNCTION in reading.text:
            reading.blame(unread.problem)
            reading.say(_FUNCTION + piece)
        return
    reading.say(piece[end:])


def _behind_calls(piece: str) -> int:
    """The place behind the calls, separated by commas, with which a piece begins; 0 without one."""
    end = at = 0
    while opening := _BARE.match(piece, at):
        closed = _behind_call(piece, opening.end())
        if not closed:
            break
        end = closed
        comma = _COMMA.match(piece, end)
        if comma is None:
            break
        at = comma.end()
    return end


def _behind_call(piece: str, at: int) -> int:
    """Behind the parenthesis that closes the one before `at`; 0 without one. Parentheses in strings are none."""
    depth = 1
    for token in _IN_CALL.finditer(piece, at):
        mark = token[0]
        depth += (mark == "(") - (mark == ")")
        if depth == 0:
            return token.end()
        if mark in "\"'":
            return 0
    return 0


def _functions_called(calls: Sequence[PlainCall]) -> str:
    written = [as_python([call])[1:-1].replace(_FUNCTION, "\\x3c<function>>") for call in calls]
    return "".join(_FUNCTION + call for call in written)


def _tool_results(results: Sequence[Result]) -> str:
    return "\n".join(f"<<tool>>{write_json({'name': one.name, 'result': one.content})}" for one in results)


GORILLA = Family(
    "gorilla",
    "Gorilla OpenFunctions v2",
    FormatSpec("gorilla", OpenFunctions(), functions, _functions_called, _tool_results),
    models=(r"gorilla-openfunctions-v2" + VARIANT,),
    place="last_user",
)

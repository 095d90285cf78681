"""Lists of Python-like calls: Llama 3.2 and 4, ToolACE, ToolACE 2, watt-tool; and the calls of Gorilla OpenFunctions.

Read by the bounded reader of ACEBench's lists (ace_dialect.py); nothing is ever run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from toolgauge.models.dialects.ace_dialect import Lists, as_python
from toolgauge.models.dialects.dialect import Parsed, PlainCall, Result
from toolgauge.models.dialects.family import Family, write_json
from toolgauge.models.dialects.format_spec import FormatSpec, contents, functions, tool_blocks
from toolgauge.models.dialects.json_block import LLAMA_CALLS
from toolgauge.models.dialects.python_calls import BARE, PythonCalls
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
_MARKED = PythonCalls(re.compile(_FUNCTION), re.compile(""), re.compile(r"\s*+,"))
_WHOLE = PythonCalls(re.compile(r"\A"), re.compile(r"\s*+\Z"), _MARKED.gap)


class OpenFunctions(Struct, frozen=True):
    """A `CallReader`: each call behind `<<function>>`, or nothing but calls and commas."""

    def read(self, text: str) -> Parsed:
        if _FUNCTION in text or not BARE.match(text):
            return _MARKED.read(text)
        whole = _WHOLE.read(text)
        return whole if whole.calls else Parsed(text)


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

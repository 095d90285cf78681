"""LFM2 and LFM2.5: a Python list of calls between marks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from toolgauge.models.dialects.ace_dialect import Lists, as_python
from toolgauge.models.dialects.dialect import Parsed, PlainCall
from toolgauge.models.dialects.family import Family
from toolgauge.models.dialects.format_spec import FormatSpec, contents, functions
from toolgauge.models.dialects.python_calls import PythonCalls
from toolgauge.models.dialects.reading import Grammar
from toolgauge.models.dialects.tag_json import VARIANT

START, END = "<|tool_call_start|>", "<|tool_call_end|>"
_START, _END = re.escape(START), re.escape(END)
_PYTHON = PythonCalls(re.compile(_START), re.compile(rf"\s*+(?:{_END}|\Z)"), re.compile(r"[\s,;]*+"))
_JSON = Grammar(re.compile(rf'(?P<mark>{_START})|\A\s*+(?=\[\s*+\{{\s*+")'), re.compile(_END))
_FIRST = re.compile(rf"{_START}\s*+(?P<json>\[?\s*+\{{)?")


class Lfm2Calls(Struct, frozen=True):
    """A `CallReader`. The first mark decides whether the calls are Python or, as some prompts ask for, JSON; without
    any mark (they are special tokens, which many servers leave out), every list of calls counts."""

    def read(self, text: str) -> Parsed:
        first = _FIRST.search(text)
        if first is None:
            return Lists(_JSON).read(text)
        return (_JSON if first["json"] else _PYTHON).read(text)


def _marked(calls: Sequence[PlainCall]) -> str:
    written = as_python(calls).replace("<|tool_call", "\\x3c|tool_call")
    return f"{START}{written}{END}"


LFM2 = Family(
    "lfm2",
    "LFM2",
    FormatSpec("lfm2", Lfm2Calls(), functions, _marked, contents, call_mark=START),
    models=(r"lfm2-(350m|700m|1\.2b|2\.6b|8b-a1b|24b(-a2b)?)(-(tool|exp))?" + VARIANT,),
    result_role="tool",
    one_by_one=True,
)

LFM25 = Family(
    "lfm2.5",
    "LFM2.5, with or without thinking",
    FormatSpec("lfm2.5", Lfm2Calls(), functions, _marked, contents, call_mark=START),
    models=(
        r"lfm2\.5-(350m|1\.2b|2\.6b|8b-a1b)(-(instruct|thinking|jp))?" + VARIANT,
        r"lfm2\.5-thinking-1\.2b" + VARIANT,
    ),
    result_role="tool",
    one_by_one=True,
)
"""As `lfm2`, without marks around the list of tools."""

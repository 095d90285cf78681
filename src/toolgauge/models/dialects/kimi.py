"""Kimi K2: calls in a section, each with an id that holds its name, `functions.NAME:NUMBER`, and JSON arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolgauge.models.dialects.dialect import PlainCall, Result
from toolgauge.models.dialects.family import Family, write_json
from toolgauge.models.dialects.format_spec import FormatSpec, tool_list
from toolgauge.models.dialects.named_call import Named
from toolgauge.models.dialects.tag_json import VARIANT

_NATIVE = re.compile(r"functions\.\S+:\d+")
_NUMBER = re.compile(r"\d{1,9}\Z")

_CALLS = Named(
    re.compile(r"(?:<\|tool_calls?_section_begin\|>\s*+)?<\|tool_call_begin\|>"),
    re.compile(
        r"\s*+(?:functions\.)?(?P<name>[^\s{}<|]{1,256}?)(?::\d{1,9})?\s*+<\|tool_call_argument_begin\|>\s*+(?=[{\"])"
    ),
    re.compile(r"\s*+(?:<\|tool_call_end\|>)?\s*+(?:<\|tool_calls?_section_end\|>)?\s*+(?:<\|im_end\|>)?"),
)


def native_id(call_id: str, name: str, place: int) -> str:
    """An id as the family writes it; it counts calls through a conversation. place: of the call in its step, for ids
    that end in no number."""
    if _NATIVE.fullmatch(call_id):
        return call_id
    number = _NUMBER.search(call_id)
    return f"functions.{name}:{number[0] if number else place}"


def _section(calls: Sequence[PlainCall]) -> str:
    written = "".join(
        f"<|tool_call_begin|>{native_id(call.id, call.name, place)}<|tool_call_argument_begin|>"
        f"{write_json(call.arguments)}<|tool_call_end|>"
        for place, call in enumerate(calls)
    )
    return f"<|tool_calls_section_begin|>{written}<|tool_calls_section_end|>"


def _returns(results: Sequence[Result]) -> str:
    return "\n\n".join(
        f"## Return of {native_id(result.id, result.name, place)}\n{result.content}"
        for place, result in enumerate(results)
    )


KIMI = Family(
    "kimi",
    "Kimi K2",
    FormatSpec("kimi", _CALLS, tool_list, _section, _returns, call_mark="<|tool_calls_section_begin|>"),
    models=(r"kimi-k2(-instruct(-0905)?|-thinking|\.[56])" + VARIANT,),
)

"""Functionary 3.1 (small and medium): `<function=NAME>{...}</function>`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolgauge.chat import Tool
from toolgauge.models.dialects.dialect import PlainCall
from toolgauge.models.dialects.family import Family, write_json
from toolgauge.models.dialects.format_spec import FormatSpec, contents
from toolgauge.models.dialects.named_call import Named
from toolgauge.models.dialects.tag_json import VARIANT

_CALLS = Named(
    re.compile(r"<function="),
    re.compile(r"\s*+(?P<name>[^\s<>{}]++)\s*+>\s*+(?=[{\"])"),
    re.compile(r"\s*+(?:</function>)?\s*+(?:<\|eom_id\|>)?"),
)


def _functions(tools: Sequence[Tool]) -> str:
    return "\n\n".join(
        f"Use the function '{tool.name}' to '{tool.description}'\n{write_json(tool.wire()['function'])}"
        for tool in tools
    )


def _tagged(calls: Sequence[PlainCall]) -> str:
    return "".join(f"<function={call.name}>{write_json(call.arguments)}</function>" for call in calls)


FUNCTIONARY = Family(
    "functionary3.1",
    "Functionary small and medium v3.1",
    FormatSpec("functionary3.1", _CALLS, _functions, _tagged, contents),
    models=(r"functionary-(small|medium)-v3\.1" + VARIANT,),
    result_role="tool",
    one_by_one=True,
)

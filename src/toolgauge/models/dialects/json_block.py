"""JSON that stands bare or in a code block: Llama 3, xLAM, xLAM 2, Hammer 2.1, and the generic prompt of our own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolgauge.models.dialects.dialect import PlainCall, Result
from toolgauge.models.dialects.family import Family, write_json
from toolgauge.models.dialects.format_spec import (
    FormatSpec,
    as_list,
    as_objects,
    bare_tool,
    contents,
    functions,
    tool_blocks,
    tool_lines,
)
from toolgauge.models.dialects.reading import Grammar, Shape
from toolgauge.models.dialects.tag_json import VARIANT

_FENCE = r"(?:```[\w-]*+\s*+)?"
_END = re.compile(r"```|</tool_call>")


LLAMA_CALLS = Grammar(
    re.compile(r'(?P<mark><\|python_tag\|>)|(?=\{\s*+")|(?=\[\s*+\{\s*+")'), re.compile(r"<\|eom_id\|>")
)

LLAMA3 = Family(
    "llama3-json",
    "Llama 3.1 and 3.3 (JSON)",
    FormatSpec(
        "llama3",
        LLAMA_CALLS,
        tool_blocks,
        lambda calls: "; ".join(write_json(call) for call in as_objects(calls, "parameters")),
        contents,
    ),
    models=(r"(meta-)?llama-3\.[13]-\d+b-instruct" + VARIANT, r"llama3\.[13](-\d+b)?(-instruct)?" + VARIANT),
    place="first_user",
    result_role="tool",
    one_by_one=True,
)

XLAM = Family(
    "xlam",
    "xLAM 1 (function calling)",
    FormatSpec(
        "xlam",
        Grammar(
            re.compile(_FENCE + r'(?=\{\s*+")|' + _FENCE + r'(?=\[\s*+\{\s*+")'),
            _END,
            Shape(wrapper="tool_calls"),
        ),
        lambda tools: write_json([bare_tool(tool) for tool in tools]),
        lambda calls: write_json({"tool_calls": as_objects(calls)}),
        lambda results: write_json([{"name": result.name, "results": result.content} for result in results]),
    ),
    models=(r"xlam-(1b|7b|v0\.1)-(fc-)?r" + VARIANT,),
    place="first_user",
)

XLAM2_CALLS = Grammar(re.compile(r"(?P<mark><tool_call>|\[TOOL_CALLS\])|" + _FENCE + r'(?=\[\s*+\{\s*+")'), _END)

XLAM2 = Family(
    "xlam2",
    "xLAM 2",
    FormatSpec(
        "xlam2",
        XLAM2_CALLS,
        tool_blocks,
        as_list,
        contents,
    ),
    models=(r"(llama-)?xlam-2-\d+b-fc-r" + VARIANT,),
    result_role="tool",
    one_by_one=True,
)

HAMMER = Family(
    "hammer2.1",
    "Hammer 2.1",
    FormatSpec(
        "hammer2.1",
        Grammar(re.compile(_FENCE + r'(?=\[\s*+\{\s*+")|' + _FENCE + r'(?=\{\s*+")'), _END),
        functions,
        lambda calls: f"```\n{as_list(calls)}\n```",
        contents,
    ),
    models=(r"hammer2\.1-\d+(\.\d+)?b" + VARIANT,),
    place="own_user",
    result_role="tool",
    one_by_one=True,
)


def _generic_calls(calls: Sequence[PlainCall]) -> str:
    lines = "\n".join(write_json(call) for call in as_objects(calls))
    return f"```tool_calls\n{lines}\n```"


def _generic_results(results: Sequence[Result]) -> str:
    lines = "\n".join(write_json({"name": result.name, "result": result.content}) for result in results)
    return f"```tool_results\n{lines}\n```"


GENERIC = Family(
    "generic",
    "any chat model (prompt of our own)",
    FormatSpec(
        "generic",
        Grammar(
            re.compile(
                r"(?P<mark>```tool_calls?\b|<tool_calls?>)|" + _FENCE + r'(?=\{\s*+")|' + _FENCE + r'(?=\[\s*+\{\s*+")'
            ),
            re.compile(r"```|</tool_calls?>"),
        ),
        tool_lines,
        _generic_calls,
        _generic_results,
    ),
    alternating=True,
)

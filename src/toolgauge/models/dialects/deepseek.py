"""DeepSeek V3, R1 and V3.1: calls between marks of wide bars; V3 and R1 put the arguments into a code block.

One reader takes all three, and the marks as tokenisers of derived models spell them: with bars of ASCII, with blanks or
underlines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolgauge.chat import Tool
from toolgauge.models.dialects.dialect import PlainCall
from toolgauge.models.dialects.family import Family, write_json
from toolgauge.models.dialects.format_spec import FormatSpec, contents, tool_lines
from toolgauge.models.dialects.named_call import Named
from toolgauge.models.dialects.tag_json import VARIANT


def _mark(name: str) -> str:
    """The pattern of a mark, "tool calls begin"."""
    return r"<[｜|]" + name.replace(" ", r"[▁_ ]") + r"[｜|]>"


_CALLS = Named(
    re.compile(rf"(?:{_mark('tool calls begin')}\s*+)?{_mark('tool call begin')}"),
    re.compile(
        rf"\s*+(?:function\s*+{_mark('tool sep')})?\s*+(?P<name>[^\s{{}}<`｜]++)\s*+(?:{_mark('tool sep')})?\s*+"
        r"(?:```(?:json)?\s*+)?(?=[{\"])"
    ),
    re.compile(
        rf"\s*+(?:```)?\s*+(?:{_mark('tool call end')})?\s*+(?:{_mark('tool calls end')})?\s*+"
        rf"(?:{_mark('end of sentence')})?"
    ),
)


def _between(calls: Sequence[str], gap: str) -> str:
    written = gap.join(f"<｜tool▁call▁begin｜>{call}<｜tool▁call▁end｜>" for call in calls)
    return f"<｜tool▁calls▁begin｜>{written}<｜tool▁calls▁end｜>"


def _fenced(calls: Sequence[PlainCall]) -> str:
    return _between([f"function<｜tool▁sep｜>{c.name}\n```json\n{write_json(c.arguments)}\n```" for c in calls], "\n")


def _plain(calls: Sequence[PlainCall]) -> str:
    return _between([f"{call.name}<｜tool▁sep｜>{write_json(call.arguments)}" for call in calls], "")


def _fenced_tools(tools: Sequence[Tool]) -> str:
    return "\n".join(f"```json\n{write_json(tool.wire())}\n```" for tool in tools)


def _described(tools: Sequence[Tool]) -> str:
    return "\n\n".join(
        f"### {tool.name}\nDescription: {tool.description}\n\nParameters: {write_json(tool.parameters)}"
        for tool in tools
    )


DEEPSEEK_V3 = Family(
    "deepseek-v3",
    "DeepSeek V3",
    FormatSpec("deepseek-v3", _CALLS, tool_lines, _fenced, contents),
    models=(r"deepseek-v3(-0324)?" + VARIANT,),
    result_role="tool",
    one_by_one=True,
)

DEEPSEEK_R1 = Family(
    "deepseek-r1",
    "DeepSeek R1",
    FormatSpec("deepseek-r1", _CALLS, _fenced_tools, _fenced, contents),
    models=(r"deepseek-r1(-0528)?" + VARIANT,),
    result_role="tool",
    one_by_one=True,
)

DEEPSEEK_V31 = Family(
    "deepseek-v3.1",
    "DeepSeek V3.1",
    FormatSpec("deepseek-v3.1", _CALLS, _described, _plain, contents),
    models=(r"deepseek-v3\.1(-terminus)?" + VARIANT,),
    result_role="tool",
    one_by_one=True,
)

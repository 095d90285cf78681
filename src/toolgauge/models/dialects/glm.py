"""GLM-4: a line with the name, then JSON arguments; GLM 4.5 to 5: tags around every name and value of an argument."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import partial

from toolgauge.chat import Tool
from toolgauge.models.dialects.dialect import PlainCall, Result
from toolgauge.models.dialects.family import Family, write_json
from toolgauge.models.dialects.format_spec import FormatSpec, contents, tool_lines
from toolgauge.models.dialects.named_call import Named
from toolgauge.models.dialects.tag_json import VARIANT
from toolgauge.models.dialects.tagged_args import TaggedArgs
from toolgauge.models.dialects.typed_args import argument_texts, typed

_LINE_CALLS = Named(
    re.compile(r"^[ \t]*+|<\|assistant\|>\s*+", re.MULTILINE),
    re.compile(r"(?P<name>[^\W\d][\w.-]*+)[ \t]*+\r?\n\s*+(?=\{)"),
    re.compile(r"\s*+(?:<\|(?:observation|user|endoftext)\|>)?"),
    announced=False,
)


def _headed(tools: Sequence[Tool]) -> str:
    return "\n\n".join(
        f"## {tool.name}\n\n{json.dumps(tool.wire()['function'], ensure_ascii=False, indent=4)}" for tool in tools
    )


def _lines(calls: Sequence[PlainCall]) -> str:
    return "<|assistant|>".join(f"{call.name}\n{write_json(call.arguments)}" for call in calls)


def _observed(results: Sequence[Result]) -> str:
    return "\n".join(f"<|observation|>\n{result.content}" for result in results)


GLM4 = Family(
    "glm4",
    "GLM-4 9B and 32B",
    FormatSpec("glm4", _LINE_CALLS, _headed, _lines, _observed),
    models=(r"glm-4-9b-chat(-1m)?(-hf)?" + VARIANT, r"glm-4-(9|32)b-0414" + VARIANT),
)

_CALL = "<tool_call>"
_TAGGED_CALLS = TaggedArgs(
    opener=re.compile(_CALL),
    name=re.compile(r"\s*+(?P<name>[^\s<>{}\"\\]++)\s*+(?:\\n\s*+)*(?=<arg_key>|</tool_call>)"),
    key=re.compile(r"<arg_key>(?P<key>[^<]*+)</arg_key>\s*+(?:\\n\s*+)*<arg_value>"),
    value_end=re.compile("</arg_value>"),
    closer=re.compile("</tool_call>"),
)
_ENDING = re.compile("<")


def _tagged(calls: Sequence[PlainCall]) -> str:
    return "\n".join(_tagged_call(call) for call in calls)


def _tagged_call(call: PlainCall) -> str:
    pairs = argument_texts(call, _ENDING, quoted=True)
    tags = (f"<arg_key>{key}</arg_key>\n<arg_value>{text}</arg_value>\n" for key, text in pairs)
    return f"<tool_call>{call.name}\n{''.join(tags)}</tool_call>"


GLM45 = Family(
    "glm4.5",
    "GLM 4.5, 4.6, 4.7, 5",
    FormatSpec("glm4.5", _TAGGED_CALLS, tool_lines, _tagged, contents, call_mark=_CALL),
    models=(r"glm-(4\.[567](-air|-flash)?|5(\.[12])?)" + VARIANT,),
    result_role="tool",
    one_by_one=True,
    settle=partial(typed, quoted=True),
)

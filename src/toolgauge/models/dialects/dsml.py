"""DeepSeek V3.2 and V4: tags with a mark of their own, `｜DSML｜`, around a section of calls, each call and each
argument, whose tag says whether its value is a string.

The marks are those of the scripts that the models publish instead of a chat template. One reader takes all of them,
what the models were seen to write instead (vLLM's and SGLang's parsers read it too) and, within a section, tags without
the mark, which is one token and may be left out by a server.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolgauge.models.dialects.dialect import PlainCall, Result
from toolgauge.models.dialects.family import Family, write_json
from toolgauge.models.dialects.format_spec import FormatSpec, function_lines
from toolgauge.models.dialects.tag_json import VARIANT
from toolgauge.models.dialects.tagged_args import TaggedArgs
from toolgauge.models.dialects.typed_args import meant

_MARK = r"[｜|]DSML[｜|]\s?"
_SECTION = r"(?:function_calls|tool_?calls|tool|calls)"
"""Of V3.2, of V4 with what is written instead, of V4.1."""
_INVOKE = rf"<(?:{_MARK})?invoke\b"


def _value(key: re.Match[str], text: str) -> object:
    return text if key["string"] == "true" else meant(text, None, quoted=True)


_CALLS = TaggedArgs(
    opener=re.compile(
        rf"<{_MARK}{_SECTION}>\s*+(?:{_INVOKE})?|<{_SECTION}>\s*+{_INVOKE}|<{_MARK}invoke\b|(?<=</invoke>)\s*+{_INVOKE}"
    ),
    name=re.compile(r"\s++name=\"(?P<name>[^\"<>]++)\"\s*+(?:/>|>\s*+)"),
    key=re.compile(rf"<(?:{_MARK})?parameter\s++name=\"(?P<key>[^\"]*+)\"(?:\s++string=\"(?P<string>[^\"]*+)\")?\s*+>"),
    value_end=re.compile(rf"</(?:{_MARK})?parameter>"),
    closer=re.compile(rf"(?:(?<=/>)|</(?:{_MARK})?invoke>)\s*+(?:</(?:{_MARK})?{_SECTION}>)?"),
    value=_value,
)
_ENDING = re.compile(rf"</?(?:{_MARK})?(?:{_SECTION}>|invoke\b|parameter\b|think>)")
"""What a value cannot hold as it is."""


def _section(calls: Sequence[PlainCall], name: str) -> str:
    written = "\n".join(_invoke(call) for call in calls)
    return f"<｜DSML｜{name}>\n{written}\n</｜DSML｜{name}>"


def _invoke(call: PlainCall) -> str:
    parameters = "\n".join(_parameter(key, value) for key, value in call.arguments.items())
    return f'<｜DSML｜invoke name="{call.name}">\n{parameters}\n</｜DSML｜invoke>'


def _parameter(key: str, value: object) -> str:
    is_string = isinstance(value, str) and not _ENDING.search(value)
    text = value if is_string else write_json(value)
    if _ENDING.search(str(text)):
        text = str(text).replace("<", "\\u003c")
    return f'<｜DSML｜parameter name="{key}" string="{write_json(is_string)}">{text}</｜DSML｜parameter>'


def _results(results: Sequence[Result]) -> str:
    written = "\n".join(f"<result>{result.content}</result>" for result in results)
    return f"<function_results>\n{written}\n</function_results>"


DEEPSEEK_V32 = Family(
    "deepseek-v3.2",
    "DeepSeek V3.2",
    FormatSpec(
        "deepseek-v3.2",
        _CALLS,
        function_lines,
        lambda calls: _section(calls, "function_calls"),
        _results,
        call_mark="<｜DSML｜function_calls>",
        gap="\n\n",
    ),
    models=(r"deepseek-v3\.2" + VARIANT,),
)

DEEPSEEK_V4 = Family(
    "deepseek-v4",
    "DeepSeek V4 Flash and Pro",
    FormatSpec(
        "deepseek-v4",
        _CALLS,
        function_lines,
        lambda calls: _section(calls, "tool_calls"),
        lambda results: "\n\n".join(f"<tool_result>{result.content}</tool_result>" for result in results),
        call_mark="<｜DSML｜tool_calls>",
        gap="\n\n",
    ),
    models=(r"deepseek-v4-(flash|pro)" + VARIANT,),
)

"""JSON between tags: Hermes and Qwen 2.5, Qwen 3, Granite, Phi-4 mini, Hunyuan."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolgauge.models.dialects.dialect import PlainCall, Result
from toolgauge.models.dialects.family import Family, write_json
from toolgauge.models.dialects.format_spec import (
    FormatSpec,
    as_list,
    as_objects,
    contents,
    functions,
    tool_blocks,
    tool_lines,
    tool_list,
)
from toolgauge.models.dialects.reading import Grammar

VARIANT = (
    r"(-(i1-gguf|gguf|awq|gptq|fp8|nvfp4|mxfp4|int4|int8|bf16|fp16|\d-?bit|mlx|bnb|unsloth-bnb|turbo|quantized|dynamic"
    r"|autoround|w\d+a\d+)[\w.-]*)?"
)
"""How names of quantised and repacked models end."""


def _hermes_calls(calls: Sequence[PlainCall]) -> str:
    return "\n".join(f"<tool_call>\n{write_json(call)}\n</tool_call>" for call in as_objects(calls))


def responses(results: Sequence[Result]) -> str:
    """Results between the tags of Qwen's templates."""
    return "\n".join(f"<tool_response>\n{result.content}\n</tool_response>" for result in results)


_HERMES = Grammar(re.compile(r"(?P<mark><tool_call>)"), re.compile(r"</tool_call>"))

HERMES = Family(
    "hermes",
    "Hermes 2 Pro to 4, Qwen 2.5",
    FormatSpec("hermes", _HERMES, tool_lines, _hermes_calls, responses, call_mark="<tool_call>"),
    models=(
        r"qwen2\.5-\d+(\.\d+)?b-instruct(-1m)?" + VARIANT,
        r"(nous-)?hermes-(2-pro|3|4(\.\d)?)-[\w.-]+",
        r"hermes3-\d+b" + VARIANT,
    ),
)

QWEN3 = Family(
    "qwen3",
    "Qwen 3, with or without thinking, and QwQ",
    FormatSpec("hermes", _HERMES, tool_lines, _hermes_calls, responses, call_mark="<tool_call>"),
    models=(
        r"qwen3-\d+(\.\d+)?b(-a\d+b)?(-(instruct|thinking)-2507)?" + VARIANT,
        r"qwen3-next-\d+b-a\d+b-(instruct|thinking)" + VARIANT,
        r"qwq-32b(-preview)?" + VARIANT,
    ),
)

GRANITE4 = Family(
    "granite4",
    "Granite 4.0 and 4.1",
    FormatSpec(
        "hermes",
        Grammar(
            re.compile(
                r"(?P<mark><tool_call>)"
                r'|\A\s*+(?=\{\s*+"name"\s*+:\s*+"[^"\\]++"\s*+,\s*+"arguments"\s*+:)'
            ),
            re.compile(r"</tool_call>"),
        ),
        tool_lines,
        _hermes_calls,
        responses,
    ),
    models=(
        r"granite-4\.0-(h-)?(micro|tiny|small|350m|1b)" + VARIANT,
        r"granite-4\.1-\d+b" + VARIANT,
        r"granite4-(micro|tiny|small|350m|1b)(-h)?" + VARIANT,
        r"granite4\.1-\d+b" + VARIANT,
    ),
)
"""As `hermes`; its tags are special tokens, which many servers leave out: a call at the beginning is read without."""


def _granite_text(text: str) -> str:
    return _GRANITE_RESPONSE.sub("", text)


_GRANITE_RESPONSE = re.compile(r"\A\s*<response>|</response>\s*\Z")

GRANITE = Family(
    "granite",
    "Granite 3.0 to 3.3, Granite 20B function calling",
    FormatSpec(
        "granite",
        Grammar(
            re.compile(r'(?P<mark><\|tool_call\|>|<tool_call>|<function_call>)|\A\s*+(?=\[\s*\{\s*")'),
            re.compile(r"</tool_call>|</function_call>"),
        ),
        tool_blocks,
        lambda calls: f"<|tool_call|>{as_list(calls)}",
        contents,
        tidy=_granite_text,
    ),
    models=(
        r"granite-3\.[0-3]-\d+b(-a\d+m)?-instruct" + VARIANT,
        r"granite3\.[1-3]-[28]b" + VARIANT,
        r"granite-20b-functioncalling",
    ),
    result_role="tool",
    one_by_one=True,
)


def _hunyuan_text(text: str) -> str:
    """Without the tags around an answer and the word "assistant:" before it, which its template asks for."""
    return _HUNYUAN_ANSWER.sub("", text)


_HUNYUAN_ANSWER = re.compile(r"\A\s*(?:<answer>\s*)?(?:助手：)?|(?:(?<!\s)\s*+)?</answer>\s*+\Z")

HUNYUAN = Family(
    "hunyuan",
    "Hunyuan A13B",
    FormatSpec(
        "hunyuan",
        Grammar(re.compile(r"(?P<mark><tool_calls>)"), re.compile(r"</tool_calls>")),
        tool_list,
        lambda calls: f"<tool_calls>{as_list(calls)}</tool_calls>",
        lambda results: "".join(f"<tool_response>{result.content}</tool_response>" for result in results),
        tidy=_hunyuan_text,
        call_mark="<tool_calls>",
    ),
    models=(r"hunyuan-a13b-instruct" + VARIANT,),
)

PHI4 = Family(
    "phi4-mini",
    "Phi-4 mini",
    FormatSpec(
        "phi4-mini",
        Grammar(
            re.compile(r'(?P<mark><\|tool_call\|>|functools(?=\[))|\A\s*+(?=\[\s*+\{\s*+")'),
            re.compile(r"<\|/tool_call\|>"),
        ),
        functions,
        lambda calls: f"<|tool_call|>{as_list(calls)}<|/tool_call|>",
        lambda results: "\n".join(f"<|tool_response|>{result.content}" for result in results),
    ),
    models=(
        r"phi-4-mini-instruct" + VARIANT,
        r"phi4-mini(-3\.8b)?(-instruct)?" + VARIANT,
    ),
)
"""The marks of its model card; vLLM's template has it write `functools[...]` instead."""

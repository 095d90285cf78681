"""Whether a text holds a tool call, or a tool's result, written out in whatever notation.

A call need not be complete, right, or of a tool on offer. The definition of a tool (its name with a description or a
schema) is no call, nor is a tool merely mentioned. Nothing is parsed to its end, nothing is run, and every gap in a
pattern is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

_NAME = r"[^\W\d][\w.\-]{0,63}"
_QUOTE = r"[\"']"


def _any(words: str) -> str:
    return "|".join(words.split())


_MARKUP = re.compile(
    r"<\|?(?:tool_call|function_call|tool_use|tool_calls|function_calls)\|?>\s{0,9}(?:`{3}\w{0,9}\s{0,3})?[\[{<]"
    rf"|<tool_call>\s{{0,3}}{_NAME}\s{{0,3}}(?:\n|<|\()"
    r"|<\|tool_call(?:s_section)?_?(?:begin|argument_begin)?\|>|<｜?\|?tool▁|<\|python_tag\|>|\[TOOL_CALLS\]|<invoke\b"
    r"|<function=|<parameter=|to=functions\.|<<function>>",
    re.IGNORECASE,
)
"""Marks that model families write around calls, with the beginning of one."""

_NAME_KEY = _any("name tool tool_name function function_name action api api_name recipient_name 工具 函数 名称 动作")
_NAMED = re.compile(rf"{_QUOTE}?\b(?:{_NAME_KEY}){_QUOTE}?\s{{0,3}}[:=]\s{{0,3}}{_QUOTE}(?P<name>{_NAME}){_QUOTE}")
"""A name in an object: {"name": "book"."""

_ARGUMENTS_KEY = _any("arguments parameters params args input action_input tool_input tool_arguments kwargs 参数")
_ARGUMENTS = re.compile(rf"{_QUOTE}?(?:{_ARGUMENTS_KEY}){_QUOTE}?\s{{0,3}}[:=]\s{{0,3}}[\"'\[{{]")
_SCHEMA = re.compile(
    rf"{_QUOTE}(?:description|properties|required){_QUOTE}\s{{0,3}}:"
    rf"|{_QUOTE}type{_QUOTE}\s{{0,3}}:\s{{0,3}}{_QUOTE}object{_QUOTE}"
)
_NEAR = 300
"""Characters in which a name and its arguments stand together."""

_NAME_LABEL = (
    r"action|tool|function|tool name|function name|call|tool call"
    r"|调用工具|调用函数|工具调用|函数调用|使用工具|工具|函数|函数名|工具名|行动|动作|调用"
)
_LABELLED = re.compile(
    rf"(?:^|\n|[\[【(（])\W{{0,4}}(?:{_NAME_LABEL})\W{{0,3}}[:： 】\]]\W{{0,3}}(?P<name>{_NAME})", re.IGNORECASE
)
"""A label and a name: "Action: book"."""
_INPUT = re.compile(
    r"^\W{0,3}(?:action input|input|arguments|parameters|args|参数|输入|行动输入|动作输入)\W{0,3}[:：]|[({（=]|\w\[",
    re.IGNORECASE | re.MULTILINE,
)
"""What must stand somewhere beside a labelled name."""

_FOLLOWED = re.compile(
    rf"(?P<name>{_NAME})(?P<rest>[`\"']?(?::\d{{1,3}})?"
    r"(?:[ \t]{0,2}[(（]|[:：]?\s{0,2}\{|[,， ]{1,2}(?:--\w|\w{1,40}=)))"
)
"""A name and what may begin its arguments: a bracket, an object, key=value."""
_IN_BRACKETS = re.compile(r"\s{0,9}(?:[\"'\[{\d]|\w{1,40}\s?[=:：]|\w{1,40}\s?[)）])")
_EMPTY_BRACKETS = re.compile(r"\s{0,9}[)）]\W{0,9}(?:\n|\Z)")

_STANDS_ALONE = re.compile(
    rf"^\W{{0,4}}(?:(?:\w{{1,30}} ?= ?)?{_NAME}\((?:\w{{1,40}} ?= ?[^=\s].{{0,400}})\)"
    rf"|\[{_NAME}\([^()\n]{{1,300}}\)\])\W{{0,4}}$",
    re.MULTILINE,
)
"""A line that is nothing but a call with named arguments, or a list of one call, of whatever tool."""
_KEY = re.compile(rf"\{{\s{{0,3}}{_QUOTE}(?P<name>{_NAME}){_QUOTE}\s{{0,3}}:\s{{0,3}}\{{")
"""An object whose first key is a name: {"book": {."""
_ELEMENT = re.compile(rf"<(?:(?:tool|name|function|tool_name)>)?\s?(?P<name>{_NAME})[\s/><]")

_RESULT = re.compile(
    r"<(?:\|?tool_(?:response|result|results|output)|function_(?:response|result|results)|observation)\|?>"
    r"|`{3}\s?tool_(?:results?|outputs?|response)|^observation\s{0,2}:\s{0,2}\S|✿RESULT✿|<｜tool▁outputs?",
    re.IGNORECASE | re.MULTILINE,
)


def has_written_call(text: str, tools: Collection[str]) -> bool:
    """tools: names of the tools on offer."""
    if _MARKUP.search(text) or _STANDS_ALONE.search(text):
        return True
    return (
        _has_object(text, tools)
        or _offered(_KEY.finditer(text), tools)
        or _offered(_ELEMENT.finditer(text), tools)
        or (_offered(_LABELLED.finditer(text), tools) and _INPUT.search(text) is not None)
        or _has_arguments_behind_name(text, tools)
    )


def has_written_result(text: str) -> bool:
    """Whether what only a tool could have answered is written as if it had."""
    return _RESULT.search(text) is not None


def has_written_definition(text: str, tools: Collection[str]) -> bool:
    """Whether the definition of a tool on offer is written out: its name with a description or a schema beside it."""
    named = (match for match in _NAMED.finditer(text) if match["name"] in tools)
    return any(_SCHEMA.search(text[match.end() : match.end() + _NEAR]) for match in named)


def _offered(matches: Iterable[re.Match[str]], tools: Collection[str]) -> bool:
    return any(match["name"].rstrip(".") in tools for match in matches)


def _has_object(text: str, tools: Collection[str]) -> bool:
    """{"name": ..., "arguments": ...} and its kin."""
    for match in _NAMED.finditer(text):
        near = text[match.end() : match.end() + _NEAR]
        if _SCHEMA.search(near):
            continue
        if _ARGUMENTS.search(near) or (match["name"] in tools and near.lstrip()[:1] in ("", "}")):
            return True
    return False


def _has_arguments_behind_name(text: str, tools: Collection[str]) -> bool:
    for match in _FOLLOWED.finditer(text):
        if match["name"].removeprefix("functions.") not in tools:
            continue
        before = text[max(0, match.start() - 6) : match.start()].rstrip()
        if not before.endswith(("def", "class")) and _begins_arguments(
            match["rest"], text[match.end() : match.end() + 80]
        ):
            return True
    return False


def _begins_arguments(opening: str, inside: str) -> bool:
    if not opening.endswith(("(", "（")):
        return True
    if not opening.strip("`\"'").startswith((" ", "\t")) and _EMPTY_BRACKETS.match(inside):
        return True
    return _IN_BRACKETS.match(inside) is not None

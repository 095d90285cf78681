"""Whether a text holds a tool call written out, in whatever notation; nothing is parsed to the end and nothing is run.

A call need not be complete, right, or of a tool on offer. The definition of a tool (its name with a description or a
schema) is no call, nor is a tool merely mentioned.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

_NAME = r"[^\W\d][\w.\-]{0,63}"
_MARKUP = re.compile(
    r"<\|?/?(?:tool_call|function_call|tool_use|tool_calls|function_calls|tool_calls_section|tool_call_argument)"
    r"(?:_begin|_end)?\|?>"
    r"|<｜?\|?tool▁|<\|python_tag\|>|\[TOOL_CALLS\]|<invoke\b|<function=|<parameter=|to=functions\."
    r"|<<function>>|<\|tool_call",
    re.IGNORECASE,
)
_NAMED = re.compile(
    rf"""["']?\b(?:name|tool|tool_name|function|function_name|action|api|api_name|recipient_name|工具|函数|名称"
    rf"|动作)["']?\s{{0,3}}[:=]\s{{0,3}}["'](?P<name>{_NAME})["']"""
)
"""A name in an object: {"name": "book"."""
_ARGUMENTS = re.compile(
    r"""["']?(?:arguments|parameters|params|args|input|action_input|tool_input|tool_arguments|kwargs"
    r"|参数)["']?\s{0,3}[:=]\s{0,3}(?P<value>["'\[{])"""
)
_SCHEMA = re.compile(
    r"""["'](?:description|properties|required)["']\s{0,3}:|["']type["']\s{0,3}:\s{0,3}["']object["']"""
)
_NEAR = 300
"""Characters in which a name and its arguments stand together."""
_LABELLED = re.compile(
    rf"(?:^|\n|[\[【(（])\W{{0,4}}(?:(?:action|tool|function|tool name|function name|call|tool call)|调用工具"
    rf"|调用函数|工具调用|函数调用|工具|函数|函数名|工具名|行动|动作|调用)"
    rf"\W{{0,3}}[:： 】\]]\W{{0,3}}(?P<name>{_NAME})",
    re.IGNORECASE,
)
"""A label and a name: "Action: book"."""
_INPUT = re.compile(
    r"^\W{0,3}(?:action input|input|arguments|parameters|args|参数|输入|行动输入|动作输入)\W{0,3}[:：]",
    re.IGNORECASE | re.MULTILINE,
)
_FOLLOWED = re.compile(
    rf"(?P<name>{_NAME})(?P<rest>[`\"']?(?::\d{{1,3}})?(?:[ \t]{{0,2}}[(（]|[:：]?\s{{0,2}}\{{"
    rf"|[,， ]{{1,2}}(?:--\w|\w{{1,40}}=)))"
)
"""A name and what may begin its arguments: a bracket, an object, key=value."""
_STANDS_ALONE = re.compile(
    rf"^\W{{0,4}}(?:(?:\w{{1,30}} ?= ?)?{_NAME}\((?:\w{{1,40}} ?= ?[^=\s].{{0,400}})\)"
    rf"|\[{_NAME}\([^()\n]{{1,300}}\)\])\W{{0,4}}$",
    re.MULTILINE,
)
"""A line that is nothing but a call with named arguments, or a list of one call, of whatever tool."""


def has_written_call(text: str, tools: Collection[str]) -> bool:
    """tools: names of the tools on offer."""
    if _MARKUP.search(text) or _STANDS_ALONE.search(text):
        return True
    return _object(text, tools) or _labelled(text, tools) or _followed(text, tools) or _element(text, tools)


def _object(text: str, tools: Collection[str]) -> bool:
    """{"name": ..., "arguments": ...} and its kin, {"book": {...}} of a tool on offer."""
    for match in _NAMED.finditer(text):
        near = text[match.end() : match.end() + _NEAR]
        if _SCHEMA.search(near):
            continue
        if _ARGUMENTS.search(near) or (match["name"] in tools and near.lstrip()[:1] in ("", "}", ",")):
            return True
    return any(name in tools for name in re.findall(rf"\{{\s{{0,3}}[\"']({_NAME})[\"']\s{{0,3}}:\s{{0,3}}\{{", text))


def _labelled(text: str, tools: Collection[str]) -> bool:
    return any(match["name"].rstrip(".") in tools for match in _LABELLED.finditer(text)) and bool(
        _INPUT.search(text) or re.search(r"[({（=]|\w\[", text)
    )


def _followed(text: str, tools: Collection[str]) -> bool:
    for match in _FOLLOWED.finditer(text):
        name = match["name"].split("functions.")[-1]
        if name not in tools or text[max(0, match.start() - 5) : match.start()].rstrip().endswith(("def", "class")):
            continue
        if _begins_arguments(match["rest"], text[match.end() : match.end() + 80]):
            return True
    return False


def _begins_arguments(opened: str, inside: str) -> bool:
    if opened.rstrip().endswith(("(", "（")):
        if not opened.strip("`\"'").startswith((" ", "\t")) and re.match(r"\s*[)）]\W*(?:\n|$)", inside):
            return True  # nothing between the brackets, at the end of a line
        return bool(re.match(r"""\s{0,9}(?:["'\[{\d]|\w{1,40}\s?[=:：]|\w{1,40}\s?[)）])""", inside))
    return True


def _element(text: str, tools: Collection[str]) -> Iterator[str] | bool:
    """<book ...> of a tool on offer."""
    return any(
        name in tools for name in re.findall(rf"<(?:tool>|name>|function>|tool_name>)?\s?({_NAME})[\s/><]", text)
    )

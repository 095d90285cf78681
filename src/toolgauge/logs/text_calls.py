"""Tool calls that stand in a text: Hermes' tags, glaive's and ToolACE's notations, and marks of those that nobody read.

Values are parsed as literals; nothing is ever evaluated.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator, Sequence

import msgspec

from toolgauge.chat import Tool, ToolCall
from toolgauge.data.lines import as_json, within_depth

LONGEST = 200_000
"""Characters of a text that are parsed as Python's literals."""
_MARKS = re.compile(
    r"</?tool_calls?>|<\|?tool_calls?(?:_|\||>)|<function_calls?>|<functioncall>|<function=|<invoke name="
    r"|\[TOOL_CALLS\]|<\|python_tag\|>|<[|\uff5c]tool[▁_]calls?[▁_]|<\uff5cDSML\uff5c|functools\["
    r"|<\|channel\|>commentary to=|<tool_use>|<use_mcp_tool>|✿FUNCTION✿"
    r"|^Action: .+\n+Action Input:|^Action:\s*(?:```|\{)|^Action: \w{1,200}\[",
    re.MULTILINE,
)
_RESULT_MARKS = re.compile(
    r"</?tool_response>|<\|tool_response|<function_results?>|</?tool_results?>|\[TOOL_RESULTS\]"
    r"|^FUNCTION RESPONSE:|^\[tool_result\]$|\A\s*(?:Observation|Tool (?:result|output)):\s",
    re.MULTILINE,
)
_FENCE = re.compile(r"\s*```(?:json|tool_call|tool_code|python)?\s*\n(.*?)\n?```\s*", re.DOTALL)
_FENCED = re.compile(r"```(?:json|tool_call|tool_code)?[ \t]*\n?(\{.*?\})\s*```", re.DOTALL)
_NAMES, _ARGUMENTS = (
    ("name", "function", "tool", "tool_name", "action"),
    ("arguments", "parameters", "args", "action_input"),
)
_CALL_NAME = re.compile(r"\s*([^\[\](){}=,\"']{1,200})\(")


def looks_like_call(text: str, tools: Sequence[Tool] = ()) -> bool:
    """Is there a call in a text that nobody has read: a mark of a notation, or nothing but a call?"""
    if _MARKS.search(text):
        return True
    bare = _FENCE.fullmatch(text)
    inner = (bare[1] if bare else text).strip()
    if inner[:1] in ("{", "["):
        value = decoded(inner)
        listed = value if isinstance(value, list) else [value]
        if listed and all(isinstance(one, dict) and _is_call(one) for one in listed):
            return True
    if any(_is_known_call(one[1], tools) for one in _FENCED.finditer(text[:LONGEST])):
        return True
    called = parse_python_calls(inner if inner[:1] == "[" else f"[{inner}]") if inner[-1:] in (")", "]") else None
    return called is not None and {call.name for call in called} <= {tool.name for tool in tools}


def _is_known_call(text: str, tools: Sequence[Tool]) -> bool:
    """Is the JSON in a fence among other words a call of one of the tools?"""
    value = decoded(text)
    names = {tool.name for tool in tools}
    if not isinstance(value, dict) or not _is_call(value):
        return False
    inner = value.get("function")
    holder = inner if isinstance(inner, dict) else value
    return any(holder.get(key) in names for key in _NAMES if isinstance(holder.get(key), str))


def _is_call(value: dict[str, object]) -> bool:
    inner = value.get("function")
    holder = inner if isinstance(inner, dict) else value
    return any(isinstance(holder.get(key), str) for key in _NAMES) and any(key in holder for key in _ARGUMENTS)


def looks_like_result(text: str) -> bool:
    """Does a text of the user hold what a tool answered?"""
    return _RESULT_MARKS.search(text) is not None


def between(text: str, begin: str, end: str) -> list[str]:
    """What stands between tags; a last one that is not closed reaches to the end."""
    return [piece.partition(end)[0].strip() for piece in text.split(begin)[1:]]


def parse_tagged(text: str) -> tuple[str | None, tuple[ToolCall, ...]]:
    """A text with calls between <tool_call> tags, as JSON or as Python writes it: the text before them, and the calls.

    A text of which a call cannot be parsed stays as it is, without calls.
    """
    calls: list[ToolCall] = []
    for piece in between(text, "<tool_call>", "</tool_call>"):
        value = literal(piece)
        for element in value if isinstance(value, list) else [value]:
            call = call_of(element)
            if call is None:
                return text, ()
            calls.append(call)
    if not calls:
        return text, ()
    behind = text.rpartition("</tool_call>")[2] if "</tool_call>" in text else ""
    content = "\n".join(part for part in (text.partition("<tool_call>")[0].strip(), behind.strip()) if part)
    return content or None, tuple(calls)


def call_of(value: object) -> ToolCall | None:
    """A call from an object with its name and arguments, in an envelope `function` or not; None where it is none."""
    if not isinstance(value, dict):
        return None
    inner = value.get("function")
    holder = inner if isinstance(inner, dict) else value
    name = holder.get("name", inner if isinstance(inner, str) else None)
    keys = ("arguments", "parameters", "args", "input")
    arguments: object = next((holder[key] for key in keys if key in holder), {})
    call_id = value.get("id", value.get("tool_call_id"))
    if not isinstance(name, str) or not name:
        return None
    text = arguments if isinstance(arguments, str) else as_json({} if arguments is None else arguments)
    return ToolCall(str(call_id) if isinstance(call_id, str | int) and call_id != "" else None, name, text)


def parse_python_calls(text: str) -> list[ToolCall] | None:
    """Calls as ToolACE and BFCL write them, `[name(key='value'), other()]`; names may have spaces. None: it is none."""
    text = text.strip()
    if not (text.startswith("[") and text.endswith("]")) or len(text) > LONGEST:
        return None
    inner, calls, at = text[1:-1], [], 0
    while at < len(inner):
        match = _CALL_NAME.match(inner, at)
        end = _closing(inner, match.end()) if match else None
        if match is None or end is None:
            return None
        arguments = _keywords(inner[match.end() : end])
        if arguments is None:
            return None
        calls.append(ToolCall(None, match[1].strip(), as_json(arguments)))
        rest = inner[end + 1 :].lstrip()
        if rest and not rest.startswith(","):
            return None
        at = len(inner) - len(rest) + 1 if rest else len(inner)
    return calls or None


def _closing(text: str, at: int) -> int | None:
    """The place of the bracket that closes the one before `at`; strings are passed over."""
    depth, quote = 1, ""
    while at < len(text):
        char = text[at]
        if quote:
            at += char == "\\"
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if not depth:
                return at
        at += 1
    return None


def _keywords(text: str) -> dict[str, object] | None:
    tree = _parsed(f"f({text})")
    if not isinstance(tree, ast.Call) or tree.args:
        return None
    try:
        return (
            {keyword.arg: _value(keyword.value) for keyword in tree.keywords if keyword.arg}
            if all(keyword.arg for keyword in tree.keywords)
            else None
        )
    except (ValueError, TypeError, RecursionError, MemoryError):
        return None


def literal(text: str) -> object:
    """The value of JSON, or of a Python literal (single quotes, True, None); None where it is neither."""
    value = decoded(text)
    if value is not None or len(text) > LONGEST:
        return value
    tree = _parsed(text)
    try:
        value = _value(tree) if tree is not None else None
    except (ValueError, TypeError, RecursionError, MemoryError):
        return None
    return value if within_depth(value) else None


def decoded(text: str) -> object:
    """The value of JSON text; None where it is none, or nested too deeply."""
    try:
        value: object = msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return None
    return value if within_depth(value) else None


def _parsed(source: str) -> ast.expr | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _value(node: ast.expr) -> object:
    """A literal, with JSON's true, false and null as well. Raises ValueError for anything else."""
    if isinstance(node, ast.Dict):
        keys = [_value(key) if key is not None else None for key in node.keys]
        return {str(key): _value(part) for key, part in zip(keys, node.values, strict=True)}
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(part) for part in node.elts]
    if isinstance(node, ast.Name) and node.id in ("true", "false", "null"):
        return {"true": True, "false": False, "null": None}[node.id]
    value: object = ast.literal_eval(node)
    if isinstance(value, str):
        value.encode()  # half a surrogate pair is a ValueError
    if value is not None and not isinstance(value, str | int | float):
        raise ValueError("not a JSON value")
    return value


def json_objects(text: str) -> Iterator[object]:
    """JSON objects that stand one after the other in a text, whatever is between them; after 100 braces that begin none
    the rest is not looked at."""
    decoder, at, misses = json.JSONDecoder(), 0, 0
    while (at := text.find("{", at)) >= 0 and misses < 100:
        try:
            _value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at, misses = at + 1, misses + 1
            continue
        yield decoded(text[at:end])
        at = end

"""Calls written as text: every decoder's rule, value by value, and calls written and read back."""

from __future__ import annotations

import ast
import math
from pathlib import Path
from typing import Any

from tests.rows import rows
from toolgauge.benchmarks.acebench.decoder import decode as ace
from toolgauge.benchmarks.acebench.decoder.decode import (
    AceCall,
    Decoded,
    Undecodable,
    decode_exact,
    decode_message,
    decode_message_exact,
    decode_multi,
    decode_single,
    looks_like_calls,
    render_calls,
    strip_reasoning,
)


def arguments(decoded: Decoded) -> dict[str, Any]:
    """The arguments of the only call."""
    assert isinstance(decoded, tuple), decoded
    (call,) = decoded
    return call.arguments


def reason(decoded: Decoded) -> str:
    assert isinstance(decoded, Undecodable), decoded
    return decoded.reason


def single(source: str) -> Any:
    """The value that the released single-turn rule reads."""
    return arguments(decode_single(f"[f(a={source})]"))["a"]


@rows(
    ("source", "value"),
    [
        ("'x'", "x"),
        (r"r'\d' 'y'", r"\dy"),
        ("'''a\nb'''", "a\nb"),
        ("1.5", 1.5),
        ("True", True),
        ("None", None),
        ("b'x'", b"x"),
        ("2j", 2j),
        ("...", "..."),
        ("[1, (2, 'x')]", [1, (2, "x")]),
        ("{'k': {1: [2]}}", {"k": {1: [2]}}),
        ("Paris", "Paris"),
        ("null", "null"),
        ("1+2*3", 7),
        ("6/2", 3.0),
        ("2**-1", 0.5),
        ("'a'+'b'*3", "abbb"),
        ("g()", {"g": {}}),
        ("m.g(x=1)", {"m.g": {"x": 1}}),
        ("a[0]", "a[0]"),
        ("a[1 :2]", "a[1:2]"),
    ],
)
def test_values(source: str, value: Any) -> None:
    assert single(source) == value
    assert type(single(source)) is type(value)


NO_VALUES = """City.OLD | f'{x}' | {1, 2} | 1 < 2 | a and b | 1 if a else 2 | lambda: 1 | [x for x in y] | (a := 1)
| {**a} | {[1]: 2} | -'x' | -(1+2) | '%s' % 'x' | [1]+[2] | 1<<2 | 1/0 | x+1 | [*a] | -... | - -1"""


@rows("source", [source.strip() for source in NO_VALUES.split("|")])
def test_what_is_no_value(source: str) -> None:
    assert reason(decode_single(f"[f(a={source})]")) == "value"


@rows(
    ("text", "why"),
    [
        (None, "not_text"),
        (["[f()]"], "not_text"),
        ("no list", "no_list"),
        ("[f(a=1)", "no_list"),
        ("] [f(a=1)", "no_list"),
        ("['f']", "not_a_call"),
        ("[1]", "not_a_call"),
        ("[[f()]]", "not_a_call"),
        ("[*f()]", "not_a_call"),
        ("[await f()]", "not_a_call"),
        ("[f() for x in y]", "not_a_list"),
        ("[f(a=03)]", "syntax"),
        ("[f(a='x\ny')]", "syntax"),
        ("[f(a=‘x’)]", "syntax"),
        ("[f(class=1)]", "syntax"),
        ("[f(a=1, 2)]", "syntax"),
        ("[f(a=(1)]", "syntax"),
        ("[f(a='\x00')]", "syntax"),
        ("[f(a='\ud800')]", "syntax"),
    ],
)
def test_what_is_undecodable(text: Any, why: str) -> None:
    assert reason(decode_single(text)) == why


def test_multi_accepts_lists_tuples_and_sets_but_no_lone_call() -> None:
    two = (AceCall("f", {"a": 1}), AceCall("g", {"b": "x"}))
    for text in ("[f(a=1), g(b='x')]", "f(a=1), g(b='x')", "(f(a=1), g(b='x'))", "{f(a=1), g(b='x')}"):
        assert decode_multi(text) == two
    assert reason(decode_multi("f(a=1)")) == "not_a_list"
    assert reason(decode_multi("Here: [f(a=1)]")) == "syntax"


def test_Q01_binary_operations_are_computed_within_limits_and_never_run() -> None:
    assert single("2**62") == 2**62
    for source in ("2**99999999999", "9**9**9**9", "10**20", "'a'*10**9", "10**9*'a'", "('a'*9999)+'bc'"):
        assert reason(decode_single(f"[f(a={source})]")) == "too_big"
    assert reason(decode_single("[f(a=open('x')+'y')]")) == "value"
    assert reason(decode_single("[f(a=0x" + "f" * 500 + ")]")) == "too_big"


def test_Q02_multi_deletes_whitespace_inside_strings_too() -> None:
    text = "[f(a='Old Town', b='a\u3000b',\n c=not True)]"
    assert arguments(decode_multi(text)) == {"a": "OldTown", "b": "ab", "c": "notTrue"}
    assert arguments(decode_exact("[f(a='Old Town')]")) == {"a": "Old Town"}


def test_Q03_brackets_in_strings_and_reasoning_before_the_list() -> None:
    text = "I can't use [1] here.\n[f(a='x]', b=\"it's\")] Done [2]."
    assert reason(decode_single(text)) == "not_a_call"
    assert arguments(decode_exact(text)) == {"a": "x]", "b": "it's"}
    assert reason(decode_single("[f(a='x]')]")) == "syntax"
    assert decode_exact("[f()] or rather [g(a=[1])]") == (AceCall("g", {"a": [1]}),)
    assert decode_exact("[f()] and []") == (AceCall("f", {}),)
    assert decode_exact("nothing: []") == ()
    assert reason(decode_exact("[see] [f(a=City.OLD)]")) == "value"
    assert reason(decode_exact("nothing [at all")) == "no_list"


def test_Q22_positional_repeated_and_signs() -> None:
    released = decode_single("[f(1, *x, a=1, a=2, b=+3, c=~3, d=not True, **{'k': 1})]")
    assert released == (AceCall("f", {"a": 2, "b": -3, "c": -3, "d": -1, "none": {"k": 1}}, 2, ("a",)),)
    assert decode_exact("[f(1, *x, a=+3, b=-2.5, **{'k': 1})]") == (AceCall("f", {"a": 3, "b": -2.5}, 3),)
    assert reason(decode_exact("[f(a=1, a=1)]")) == "repeated_keyword"
    for source in ("~3", "not True", "-True"):
        assert reason(decode_exact(f"[f(a={source})]")) == "value"


def test_Q30_messages_of_agents() -> None:
    call = (AceCall("f", {"a": "x"}),)
    for text in ("[f(a='x')]", " [f(a='x')]", "f(a='x')", "f(a='x')]", "['f(a=\"x\")']"):
        assert decode_message(text) == call
        assert decode_message_exact(text) == call or text.startswith(("['", "f(a='x')]"))
    for text in ("[f(a='x')] ", "[f(a='x')]\n", "  [f(a='x')]", "", "Now: [f(a='x')]"):
        assert reason(decode_message(text)) == "syntax"
        assert text == "" or decode_message_exact(text) == call
    assert decode_message("done") == ()
    assert reason(decode_message_exact("done")) == "no_list"
    assert reason(decode_message("f(), 1")) == "not_a_call"
    assert decode_message("f(), g()") == decode_message_exact("f(), g()") == (AceCall("f", {}), AceCall("g", {}))


def test_Q30_objects_as_arguments_of_messages() -> None:
    assert reason(decode_message("[f(a={'k': 1})]")) == "value"
    assert reason(decode_message("[f(a=g())]")) == "value"
    assert arguments(decode_message("[f(a=[{'k': 1}, g(), g(b=1)])]")) == {"a": [{"k": 1}, "g()", {"g": {"b": 1}}]}
    assert arguments(decode_message_exact("[f(a={'k': 1})]")) == {"a": {"k": 1}}


def test_Q35_no_node_class_that_a_newer_python_removed() -> None:
    folder = Path(ace.__file__).parent
    used = {
        node.attr
        for file in folder.glob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "ast"
    }
    assert "Constant" in used
    assert not used & {"Num", "Str", "Bytes", "NameConstant", "Ellipsis", "Index", "ExtSlice"}


ROUND_TRIP = [
    AceCall("f", {}),
    AceCall("a.b", {"text": 'it\'s "x"\n\t\\ é 中', "n": -3, "x": -2.5, "t": True, "none": None}),
    AceCall("f", {"a": "x]", "b": "[[", "c": "][", "d": "[ok]", "e": "\\[", "g": ["]", {"k]": "["}]}),
    AceCall("f", {"a": [1, [], {}, (1,), ()], "o": {"k": {"z": [None]}}, "inf": -math.inf, "i": math.inf}),
    AceCall("f", {"b": b"x'", "c": 2j, "wide": "\u3000", "sur": "\ud800", "tab": "a\tb"}),
]


@rows("call", ROUND_TRIP)
def test_rendered_calls_are_read_back_by_every_decoder(call: AceCall) -> None:
    text = render_calls([call, call])
    for decode in (decode_single, decode_exact, decode_message_exact):
        assert decode(text) == (call, call)
    if not any(isinstance(value, dict) for value in call.arguments.values()):
        assert decode_message(text) == (call, call)
    squeezed = decode_multi(text)
    assert isinstance(squeezed, tuple)
    assert render_calls(squeezed).replace(" ", "") == text.replace(" ", "")


@rows(
    ("text", "left"),
    [
        ("<think>[1]</think>[f()]", "[f()]"),
        ("[1] so</think>\n[f()]", "\n[f()]"),
        ("a<think>b</think>c<think>d</think>e", "ace"),
        ("a<think>cut off", "a"),
        ("no reasoning", "no reasoning"),
    ],
)
def test_reasoning_is_stripped(text: str, left: str) -> None:
    assert strip_reasoning(text) == left


def test_speech_and_calls_are_told_apart_line_by_line() -> None:
    assert looks_like_calls("a\n[b] c")
    assert not looks_like_calls("[a\nb]")
    assert not looks_like_calls("] [")

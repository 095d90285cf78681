"""Hostile texts: nothing of them is ever run, and every one is answered, with calls or a classified refusal."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sizes import sized
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
    strip_reasoning,
)
from toolgauge.benchmarks.acebench.decoder.text import complete_groups

DECODERS: tuple[Callable[[Any], Decoded], ...] = (
    decode_single,
    decode_multi,
    decode_exact,
    decode_message,
    decode_message_exact,
)
_CODES = "not_text no_list syntax not_a_list not_a_call value repeated_keyword too_long too_deep too_big"
REASONS = frozenset(_CODES.split())

ESCAPES = [
    "__import__('os').system('touch {file}')",
    "open('{file}', 'w')",
    "exec(\"open('{file}', 'w')\")",
    "().__class__.__bases__[0].__subclasses__()",
    "[open('{file}', 'w') for x in (1,)]",
    "(lambda: open('{file}', 'w'))()",
    "os.environ",
    "a.b.c.__globals__['x']",
    "f\"{{open('{file}', 'w')}}\"",
    "9**9**9**9**9",
    "'a'*9999999999",
    "1 + open('{file}', 'w').write('x')",
    "open('{file}', 'w') % 2",
    "(x := open('{file}', 'w'))",
    "g(**open('{file}', 'w'))",
    "getattr(__builtins__, 'open')('{file}', 'w')",
    "a[open('{file}', 'w')]",
]


@pytest.mark.parametrize("escape", ESCAPES)
def test_model_text_is_never_executed(escape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "escaped"
    text = escape.format(file=file)
    for name in ("eval", "exec", "__import__"):
        monkeypatch.setattr(f"builtins.{name}", _forbidden)
    for decode in DECODERS:
        for message in (f"[f(a={text})]", f"[{text}]", text, f"[f({text})]"):
            decoded = decode(message)
            assert isinstance(decoded, Undecodable) or all(isinstance(call, AceCall) for call in decoded)
    assert not file.exists()


def _forbidden(*args: Any, **kwargs: Any) -> None:
    raise AssertionError("model text was run")


PIECES = "f(a=|lambda |not |if | for x in |**|'''|\"\"\"|f'|[f(|)]|None|1e999|\ud800|\u3000|\x00|‘|await |yield |:=|é|…"
ALPHABET = [*"[](){}'\"\\,.=:+-*/ \n#@!ab01_x", *PIECES.split("|")]


def fuzzed(random_: random.Random) -> str:
    """A text of random pieces, or a good call damaged, or something nested."""
    kind = random_.randrange(4)
    pieces = "".join(random_.choices(ALPHABET, k=random_.randrange(60)))
    if kind == 0:
        return pieces
    good = "[f(a='it', b=[1, 2.5, {'k': (True, None)}], c=-3), g.h(x=\"y\")]"
    if kind == 1:
        cut = random_.randrange(len(good))
        return good[:cut] + pieces + good[cut + random_.randrange(5) :]
    opened, closed = random_.choice([("[", "]"), ("(", ")"), ("{1:", "}"), ("f(a=", ")"), ("-", ""), ("not ", "")])
    depth = random_.choice((1, 10, 70, 300))
    return f"[f(a={opened * depth}{pieces}{closed * depth})]" if kind == 2 else opened * depth + pieces


def test_fuzzed_texts_give_calls_or_a_classified_refusal() -> None:
    random_ = random.Random(7)
    for _ in range(sized(2_000, 20_000)):
        check(fuzzed(random_))


def check(text: str) -> None:
    for decode in DECODERS:
        decoded = decode(text)
        if isinstance(decoded, Undecodable):
            assert decoded.reason in REASONS
            assert len(decoded.why.text) < 200
        else:
            assert all(type(call) is AceCall for call in decoded)
    strip_reasoning(text)
    looks_like_calls(text)


LENGTH = sized(30_000, 1_000_000)
HUGE = [
    "[" * LENGTH,
    "[f(a=" * (LENGTH // 5),
    "[" * (LENGTH // 2) + "]" * (LENGTH // 2),
    "-" * LENGTH,
    "[f(a=" + "-" * 99_000 + "1)]",
    "[f(a=" + "a." * 40_000 + "a)]",
    "[f(a=1)]" * (LENGTH // 8),
    "['" * (LENGTH // 2),
    '["""' * (LENGTH // 4) + "'''",
    "[f(a=[" + "1," * 45_000 + "1])]",
    "[\\" * (LENGTH // 2),
    "[f(a=" + "lambda x, y: " * 7_000 + "1)]",
    "<think>" * (LENGTH // 7),
    "[" + "'a'" * 30_000 + "]",
    "[f(a='" + "x" * LENGTH + "')]",
    "[f(a=" + "1+" * 40_000 + "1)]",
    "f(" * (LENGTH // 3) + ")" * (LENGTH // 3),
    "[f" + "()" * 45_000 + "]",
    "x" * LENGTH,
    " " * LENGTH,
    "[f(a='" + "\\" * 90_000 + "')]",
    '[\\""" ",' * (LENGTH // 8),
    '[\\"""x' * (LENGTH // 6),
    "[f(a=" + '\\""" ",' * 12_000 + ")]",
]


_LITERAL = re.compile(
    r'"""(?:\\.|"(?!"")|[^"\\])*"""|"(?:\\.|[^"\\\n\r])*"'
    r"|'''(?:\\.|'(?!'')|[^'\\])*'''|'(?:\\.|[^'\\\n\r])*'",
    re.DOTALL,
)


@settings(max_examples=sized(60, 3_000), deadline=None)
@given(st.text(st.sampled_from("[]\"'\\\na"), max_size=60) | st.text(st.sampled_from('[]"a'), max_size=60))
def test_groups_end_where_going_through_each_bracket_finds_it(text: str) -> None:
    groups, at = [], text.find("[")
    while at >= 0:
        end = closed(text, at)
        groups += [text[at:end]] if end else []
        at = text.find("[", end or at + 1)
    assert complete_groups(text) == groups


def closed(text: str, at: int) -> int:
    """Behind the bracket that closes the one here, 0 without one: the rule, taken by itself for every bracket."""
    depth = 0
    while at < len(text):
        mark, literal = text[at], _LITERAL.match(text, at)
        if mark in "\"'" and not literal:
            return 0
        depth += (mark == "[") - (mark == "]")
        at = literal.end() if literal else at + 1
        if depth == 0:
            return at
    return 0


@pytest.mark.timeout(120)  # seconds, for all of it: the slowest takes two
def test_a_megabyte_of_anything_is_answered_in_time() -> None:
    for text in HUGE:
        check(text)

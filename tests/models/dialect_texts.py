"""Worked examples of every dialect, written by hand after the families' published formats: tests/fixtures/dialects.

A file gives the texts in which a family makes the same calls; what they mean is written once, here. `tolerated` is
what the family also writes (no calls, no content: none), `refused` what stays text, with the problem. A new dialect
is a file there, nothing else.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import yaml

from toolgauge.call_problems import CallProblem

Calls = list[tuple[str, dict[str, Any]]]

RAIN: Calls = [("rain", {"city": "Oslo"})]
BOTH: Calls = [("rain", {"city": "Oslo"}), ("now", {})]
NESTED: Calls = [("book", {"who": {"name": "Ana", "age": 7}, "days": [[1, 2], []], "sure": True, "note": None})]
UNICODE: Calls = [("查天气", {"城市": "北京「东城」", "e": 'é "q" \\ \n'})]
DOTTED: Calls = [("geo.v2.find", {"q": "a.b"})]


class Texts(NamedTuple):
    """How a family writes things. cut: a call without its end; broken: a call that is not well-formed; tolerated: texts
    with their calls and content; refused: texts with their problem."""

    one: str
    both: str
    line: str
    nested: str
    unicode: str
    dotted: str
    cut: str
    broken: str
    cut_problem: CallProblem = CallProblem.CUT_OFF
    broken_problem: CallProblem = CallProblem.BROKEN_JSON
    tolerated: tuple[tuple[str, Calls, str | None], ...] = ()
    refused: tuple[tuple[str, CallProblem], ...] = ()

    @property
    def texts(self) -> list[str]:
        """The texts of the situations."""
        return [text for text in self if isinstance(text, str) and not isinstance(text, CallProblem)]


def _read(path: Path) -> Texts:
    written = yaml.safe_load(path.read_text(encoding="utf-8"))
    for name in ("cut_problem", "broken_problem"):
        if name in written:
            written[name] = CallProblem[written[name].upper()]
    tolerated = (
        (one["text"], [call for each in one.get("calls", ()) for call in each.items()], one.get("content"))
        for one in written.pop("tolerated", ())
    )
    refused = ((one["text"], CallProblem[one["problem"].upper()]) for one in written.pop("refused", ()))
    return Texts(**written, tolerated=tuple(tolerated), refused=tuple(refused))


EXAMPLES = {path.stem: _read(path) for path in (Path(__file__).parents[1] / "fixtures" / "dialects").iterdir()}
SITUATIONS = ("single", "parallel", "one line", "nested", "unicode", "dotted", "text around", "text before", "thinking",
              "thinking unopened", "only thinking", "cut off", "broken", "broken beside a call", "no call", "empty",
              "a call in thinking")  # fmt: skip


def situation(name: str, t: Texts) -> tuple[str, str | None, Calls, str | None, CallProblem | None]:
    """Text, content, calls, reasoning and the problem."""
    match name:
        case "single":
            return t.one, None, RAIN, None, None
        case "parallel":
            return t.both, None, BOTH, None, None
        case "one line":
            return t.line, None, BOTH, None, None
        case "nested":
            return t.nested, None, NESTED, None, None
        case "unicode":
            return t.unicode, None, UNICODE, None, None
        case "dotted":
            return t.dotted, None, DOTTED, None, None
        case "text around":
            return f"I look.\n{t.one}\nWait.", "I look.\nWait.", RAIN, None, None
        case "text before":
            return f"好的，我查一下。\n{t.one}", "好的，我查一下。", RAIN, None, None
        case "thinking":
            return f"<think>\nhm {{ [ <x>\n</think>\n\n{t.one}", None, RAIN, "hm { [ <x>", None
        case "thinking unopened":
            return f"hm\n</think>\n\nI look.\n{t.one}", "I look.", RAIN, "hm", None
        case "only thinking":
            return f"<think>\nhm {t.one} so", None, [], f"hm {t.one} so", CallProblem.UNFINISHED_THINKING
        case "cut off":
            return t.cut, t.cut, [], None, t.cut_problem
        case "broken":
            return t.broken, t.broken, [], None, t.broken_problem
        case "broken beside a call":
            return f"{t.one}\nand\n{t.broken}", f"and\n{t.broken}", RAIN, None, t.broken_problem
        case "no call":
            words = 'Call it {so} or [so] <b>, e.g. f(x) = {"a": [1]}. 完了。'
            return words, words, [], None, None
        case "empty":
            return "", "", [], None, None
        case _:
            return f"<think>{t.both}</think>Dry.", "Dry.", [], t.both, None

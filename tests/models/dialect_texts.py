"""What worked examples of dialects mean: the situations, and in which texts of a family they are told."""

from __future__ import annotations

from typing import Any, NamedTuple

from toolgauge.call_problems import CallProblem

Calls = list[tuple[str, dict[str, Any]]]

RAIN: Calls = [("rain", {"city": "Oslo"})]
BOTH: Calls = [("rain", {"city": "Oslo"}), ("now", {})]
NESTED: Calls = [("book", {"who": {"name": "Ana", "age": 7}, "days": [[1, 2], []], "sure": True, "note": None})]
UNICODE: Calls = [("查天气", {"城市": "北京「东城」", "e": 'é "q" \\ \n'})]
DOTTED: Calls = [("geo.v2.find", {"q": "a.b"})]


class Texts(NamedTuple):
    """How a family writes things. cut: a call without its end; broken: a call that is not well-formed."""

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


RAIN_JSON = '{"name": "rain", "arguments": {"city": "Oslo"}}'
NOW_JSON = '{"name": "now", "arguments": {}}'
BOOK_JSON = (
    '{"name": "book", "arguments": {"who": {"name": "Ana", "age": 7}, "days": [[1, 2], []], "sure": true,'
    ' "note": null}}'
)
UNICODE_JSON = '{"name": "查天气", "arguments": {"城市": "北京「东城」", "e": "\\u00e9 \\"q\\" \\\\ \\n"}}'
DOTTED_JSON = '{"name": "geo.v2.find", "arguments": {"q": "a.b"}}'
BROKEN_JSON = '{"name": "rain", "arguments": {city: "Oslo"}}'

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

"""Words that the planner's thought and plan must not say: of simulating, and of the checker.

A tool may be called simulate_loan or spell_checker, and a user may want something simulated: there only what surely
speaks of the machinery counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec.json import encode

from toolgauge.annotation.dialogue import Decision, Speaker
from toolgauge.chat import Tool
from toolgauge.generation.state import AgentView

Values = Mapping[str, object]
Objections = Iterator[Values]
"""What fills in the objection's text, once per objection."""

SIMULATED = re.compile(r"simulat\w*|pretend(?:ing)? to (?:call|execute|run)|模拟|假装(?:调用|执行)", re.IGNORECASE)
SIMULATED_SURELY = re.compile(
    r"simulat\w*(?: (?:the|this|that|these|its|an?))*(?: \w+)?"
    r" (?:tool|call|execution|response|result|output|api|function)"
    r"|pretend(?:ing)? to (?:call|execute|run)|模拟(?:工具|调用|执行|返回|结果|响应)|假装(?:调用|执行)",
    re.IGNORECASE,
)
CHECKER = re.compile(r"\bchecker\b|checker_planner|检查员|检查者|校验员", re.IGNORECASE)
CHECKER_SURELY = re.compile(
    r"checker_planner|(?:^|[.!?]\s+|\b(?:because|as|since|and|but|that) )the checker\b"
    r"|\bchecker (?:said|says|objected|objects|rejected|rejects|wants|demands|told|pointed)"
    r"|(?:检查员|检查者|校验员)(?:说|指出|认为|要求|反对)",
    re.IGNORECASE,
)


def never(
    part: str, pattern: re.Pattern[str], surely: re.Pattern[str] | None = None
) -> Callable[[AgentView, Decision], Objections]:
    """The thought or the plan must not say such a thing.

    surely: what counts where the tools or what was said are about the word itself (`simulate_loan`, "check it with the
    spell checker"). Names of tools never count.
    """

    def check(view: AgentView, decision: Decision) -> Objections:
        text = _without_names(getattr(decision, part), view.tools) if surely else getattr(decision, part)
        found = pattern.search(text)
        if found and surely and found[0].casefold()[:_STEM] in material(view):
            found = surely.search(text)
        if found:
            yield {"words": found[0].strip()}

    return check


_STEM = 7
"""Characters by which a word is known in its other forms: simulate, simulation; checker, checkers."""
_WORD_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\x00-\x7f]+")


def _without_names(text: str, tools: Iterable[Tool]) -> str:
    """A text without the names of tools, as they are written or as words: spell_checker, "spell checker"."""
    for tool in tools:
        if parts := _WORD_PARTS.findall(tool.name):
            name = r"[\s_.-]?".join(map(re.escape, parts))
            text = re.sub(rf"\b{name}s?\b", " ", text, flags=re.IGNORECASE)
    return text


def material(view: AgentView) -> str:
    """What the tools are for and what was said between user and assistant, in lower case."""
    said = [entry.text for entry in view.entries if entry.speaker in (Speaker.USER, Speaker.AGENT)]
    tools = [f"{tool.name} {tool.description} {encode(tool.parameters).decode()}" for tool in view.tools]
    return "\n".join([*tools, *said]).casefold()

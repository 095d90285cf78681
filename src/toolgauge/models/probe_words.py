"""What a probe found, for people: one sentence, what it rests on, and one suggestion that fits the endpoint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolgauge.models.dialects.json_block import GENERIC
from toolgauge.models.dialects.registry import dialect_for
from toolgauge.models.engines.engine import ENGINES
from toolgauge.models.engines.families import family_of
from toolgauge.models.local_server import is_own, meant
from toolgauge.models.probe import MOST_REASONING, MOST_TOKENS, ProbeResult
from toolgauge.models.probe_result import Finding
from toolgauge.models.providers import endpoint_of

_TROUBLE = {
    Finding.CALLS_AS_TEXT: "it writes its tool call as text, which the dialect {read_by} reads",
    Finding.UNREADABLE_CALL: "what it writes looks like a tool call and cannot be read as one",
    Finding.WRONG_TOOL: "it calls '{call}', which is not available",
    Finding.WRONG_ARGUMENTS: "the arguments of its tool call are not what the tool's definition asks for",
    Finding.NO_ID: "its tool call lacks an id",
    Finding.WORDS: "in words where a tool call is needed",
    Finding.TEMPLATE_MARKS: "it goes on behind the end of its turn: its reply holds marks of a chat template",
    Finding.CUT_OFF: "its reply is cut off after {limit:,} tokens, without a tool call",
    Finding.CUT_OFF_REASONING: "its reply is cut off after {limit:,} tokens, while it is still reasoning",
    Finding.ONLY_REASONING: "it stops after its reasoning, without a word and without a tool call",
    Finding.EMPTY: "its reply is empty",
    Finding.FILTERED: "a content filter stopped its reply",
    Finding.RESULT_REFUSED: "it is refused the tool's result: {trouble}",
    Finding.RESULT_DROPPED: "the tool's result does not reach it: its prompt has not grown by it",
    Finding.CALLS_AGAIN: "calls again instead of answering when it is sent the tool's result",
    Finding.SILENT: "does not answer in words when it is sent the tool's result",
}
"""What is wrong after "answers, but" or "makes a valid tool call, but"."""


class _Place(NamedTuple):
    """Where a model is reached. own: a server of one's own, whose options can be changed; provider: its name, "" for
    what is no endpoint; asked: the dialect it is asked in, "" for native calls; told: the one that its name implies, or
    ""; parser: what its server is started with so that it reads calls itself, or ""."""

    own: bool
    provider: str
    asked: str
    told: str
    parser: str

    def better(self, readers: Sequence[str]) -> str:
        """A dialect that it was not asked in, of those that read its call where any did; "" where none suits."""
        if readers:
            return self.told if self.told in readers else readers[0]
        return next((one for one in (self.told, GENERIC.name) if one and one != self.asked), "")


def line(result: ProbeResult) -> str:
    """The result for people, one line."""
    place, record = _place(result), result.record
    if result.ok and place.asked and not result.as_text:
        said = (
            "{model}: answers, makes a valid tool call and takes the result back; its server reads the calls itself, "
            "not the dialect {asked} ({seconds:.1f} s)"
        )
    elif result.ok and place.asked:
        said = (
            "{model}: answers, writes a valid tool call in the dialect {asked} and takes the result back "
            "({seconds:.1f} s)"
        )
    elif result.ok:
        said = "{model}: answers, makes a valid tool call and takes the result back ({seconds:.1f} s)"
    elif result.finding is Finding.NO_ANSWER:
        said = "{model}: does not answer: {trouble} ({seconds:.1f} s)"
    elif result.finding is Finding.TOO_SLOW:
        said = "{model}: answers, but no whole reply came in time: {trouble} ({seconds:.1f} s)"
    elif result.finding is Finding.TOOLS_REFUSED:
        said = "{model}: answers, but not where it is offered a tool: {trouble} ({seconds:.1f} s)"
    elif result.finding.calls:
        said = "{model}: makes a valid tool call, but {what} ({seconds:.1f} s)"
    else:
        said = "{model}: answers, but {what} ({seconds:.1f} s)"
    return said.format(
        model=result.model.name,
        asked=place.asked,
        trouble=result.trouble,
        what=_what(result, place),
        seconds=record.seconds,
    )


def _what(result: ProbeResult, place: _Place) -> str | None:
    record = result.record
    if result.finding is Finding.TOOLS_DROPPED:
        return _dropped(place)
    if result.finding is Finding.CALLS_AS_TEXT and place.asked:
        said = "it writes its tool call as the dialect {read_by} reads it, not {asked}"
    elif result.finding is Finding.WORDS and 0 < record.prompt_tokens_without < record.prompt_tokens:
        said = "in words where a tool call is needed, although the tool is in its prompt"
    elif result.finding is Finding.CUT_OFF and not result.limit:
        said = "its reply is cut off, without a tool call"
    elif result.finding is Finding.CUT_OFF_REASONING and not result.limit:
        said = "its reply is cut off while it is still reasoning"
    elif found := _TROUBLE.get(result.finding):
        said = found
    else:
        return None
    return said.format(
        read_by=place.better(record.readers),
        asked=place.asked,
        call=result.called,
        limit=result.limit,
        trouble=result.trouble,
    )


def _dropped(place: _Place) -> str:
    if place.asked:
        return "its prompt is the same with and without the tool: its chat template leaves out where the tools stand"
    if place.own:
        return "its prompt is the same with and without the tool: its chat template has no place for tools"
    return "its prompt is the same with and without the tool: the endpoint leaves tools out"


def details(result: ProbeResult) -> Iterator[str]:
    """What the finding rests on, a line each."""
    record = result.record
    if record.said:
        said = "its call: {said}" if result.called else "it said: {said}"
        yield said.format(said=f"“{record.said}”")
    if len(record.readers) > 1:
        yield f"dialects that read a call in this: {', '.join(record.readers)}"
    yield from figures(result)


def figures(result: ProbeResult) -> Iterator[str]:
    """Tokens and seconds, as far as they are known."""
    record = result.record
    if record.prompt_tokens and record.prompt_tokens_without:
        yield (f"prompt: {record.prompt_tokens:,} tokens with the tool, {record.prompt_tokens_without:,} without it")
    if record.tokens_per_second and record.first_reply:
        yield (
            f"speed: {f'{record.tokens_per_second:,.{0 if record.tokens_per_second >= 10 else 1}f}'} tokens a "
            f"second, the first reply after {record.first_reply:.1f} s"
        )


def suggestion(result: ProbeResult) -> str | None:
    """What helps, or what it means for a run; None where there is nothing to say."""
    place, finding = _place(result), result.finding
    if finding is Finding.NO_ANSWER:
        endpoint = endpoint_of(result.model)
        return (meant(endpoint, str(result.model.describe()["model"])) if endpoint else "") or None
    if finding is Finding.TOO_SLOW:
        return "give it more time with --set endpoint.timeout=SECONDS, or let it say less with --max-tokens"
    if finding in (Finding.WRONG_TOOL, Finding.WRONG_ARGUMENTS, Finding.CALLS_AGAIN, Finding.SILENT):
        return "the way to the model works; in a run, such replies are mistakes of the model"
    if finding is Finding.UNREADABLE_CALL:
        return "in a run, such replies are mistakes of the model; a lower --temperature often makes them rarer"
    if finding is Finding.CUT_OFF and 0 < result.limit < MOST_TOKENS:
        return "let it say more, with a larger --max-tokens or a server with a longer context"
    if finding is Finding.CUT_OFF:
        return "in a run, --max-tokens says after how many tokens a reply without end is cut off"
    if finding is Finding.CUT_OFF_REASONING:
        return f"give it room in a run: --max-tokens {4 * max(result.limit, MOST_REASONING)} or more"
    if finding is Finding.FILTERED:
        return "see what its provider says about the filter, and how it is set"
    if finding in (Finding.ONLY_REASONING, Finding.EMPTY, Finding.TEMPLATE_MARKS):
        return _of_nothing(place, finding)
    return _of_calls(result, place)


def _of_nothing(place: _Place, finding: Finding) -> str:
    if not place.own:
        return "ask once more; where that stays so, another model of the provider may do better"
    if finding is Finding.TEMPLATE_MARKS:
        return "serve it with the model's own chat template; a base model has none"
    if finding is Finding.EMPTY:
        return "see whether its chat template is the model's own"
    return "see whether the reasoning parser of its server suits the model"


def _of_calls(result: ProbeResult, place: _Place) -> str | None:
    """What makes calls and results arrive: a dialect, or another way of serving the model."""
    finding, dialect = result.finding, "--dialect"
    best = place.better(result.record.readers)
    if finding in (Finding.TOOLS_REFUSED, Finding.CALLS_AS_TEXT) and place.parser and not place.asked:
        said = "use {dialect} {name}, or start its server with {flags}"
    elif finding is Finding.CALLS_AS_TEXT and place.own and not place.asked:
        said = "use {dialect} {name}, or the tool-call parser of its server, if it has one"
    elif finding is Finding.TOOLS_DROPPED and place.own and not place.asked:
        said = "use {dialect} {name}, or serve it with a chat template that has tools"
    elif finding in (Finding.TOOLS_DROPPED, Finding.RESULT_DROPPED, Finding.RESULT_REFUSED) and place.asked:
        return "serve it with a chat template that shows every message" if place.own else None
    elif finding is Finding.WORDS and best and not place.asked and place.own and not result.record.prompt_tokens:
        said = "see whether its server has tool calling switched on, or use {dialect} {name}"
    elif finding is Finding.WORDS and best:
        said = "ask once more; where that stays so, compare with {dialect} {name}"
    elif finding is Finding.WORDS:
        return "ask once more; where that stays so, the tasks of a run that need a tool will fail"
    elif best and finding is not Finding.GOOD and finding is not Finding.NO_ANSWER:
        said = "use {dialect} {name}"
    else:
        return None
    return said.format(dialect=dialect, name=best, flags=place.parser)


def _place(result: ProbeResult) -> _Place:
    model = result.model
    asked = str(model.describe().get("dialect") or "")
    told = dialect_for(model.name) or ""
    endpoint = endpoint_of(model)
    if endpoint is None:
        return _Place(False, "", asked, told, "")
    provider = endpoint.provider.name
    return _Place(is_own(endpoint), provider, asked, told, _parser_flags(provider, model.name))


def _parser_flags(provider: str, model: str) -> str:
    """What an engine is started with so that it reads calls itself; "" for what has no such flag, or need of it."""
    engine, family = ENGINES.get(provider), family_of(model)
    if engine is None or not engine.parser:
        return ""
    parsing = family.parsing.get(provider) if family else None
    name = parsing.tool if parsing else "..."
    return " ".join((*engine.with_parser, engine.parser, name)) if name else ""

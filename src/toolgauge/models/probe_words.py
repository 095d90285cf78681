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
    place = _place(result)
    if result.ok and place.asked and not result.as_text:
        outcome = (
            "answers, makes a valid tool call and takes the result back; its server parses the calls itself, not the "
            f"dialect {place.asked}"
        )
    elif result.ok and place.asked:
        outcome = f"answers, writes a valid tool call in the dialect {place.asked} and takes the result back"
    elif result.ok:
        outcome = "answers, makes a valid tool call and takes the result back"
    elif result.finding is Finding.NO_ANSWER:
        outcome = f"does not answer: {result.trouble}"
    elif result.finding is Finding.TOO_SLOW:
        outcome = f"answers, but too slowly for a whole reply: {result.trouble}"
    elif result.finding is Finding.TOOLS_REFUSED:
        outcome = f"answers, but rejects requests with tools: {result.trouble}"
    elif result.finding.calls:
        outcome = f"makes a valid tool call, but {_problem(result, place)}"
    else:
        outcome = f"answers, but {_problem(result, place)}"
    return f"{result.model.name}: {outcome} ({result.record.seconds:.1f} s)"


def _problem(result: ProbeResult, place: _Place) -> str:
    """What is wrong, after "answers, but" or "makes a valid tool call, but"."""
    record, dialect = result.record, place.better(result.record.readers)
    cut_off = f"its reply is cut off after {result.limit:,} tokens" if result.limit else "its reply is cut off"
    in_prompt = 0 < record.prompt_tokens_without < record.prompt_tokens
    unused = "its prompt is the same with and without the tool"
    if place.asked:
        dropped = f"{unused}: its chat template drops the message with the tools"
    elif place.own:
        dropped = f"{unused}: its chat template does not render tools"
    else:
        dropped = f"{unused}: the endpoint drops tools"
    return {
        Finding.TOOLS_DROPPED: dropped,
        Finding.CALLS_AS_TEXT: (
            f"writes its tool call in the dialect {dialect}, not {place.asked}"
            if place.asked
            else f"writes its tool call as text, in the dialect {dialect}"
        ),
        Finding.UNREADABLE_CALL: "its tool call cannot be parsed",
        Finding.WRONG_TOOL: f"calls '{result.called}', which is not available",
        Finding.WRONG_ARGUMENTS: "the arguments of its tool call do not match the tool's definition",
        Finding.NO_ID: "its tool call has no id",
        Finding.WORDS: f"does not call the tool{', although its prompt contains it' if in_prompt else ''}",
        Finding.TEMPLATE_MARKS: "continues after the end of its turn: its reply contains tokens of a chat template",
        Finding.CUT_OFF: f"{cut_off}, without a tool call",
        Finding.CUT_OFF_REASONING: f"{cut_off}, while still reasoning",
        Finding.ONLY_REASONING: "stops after its reasoning, without text or a tool call",
        Finding.EMPTY: "its reply is empty",
        Finding.FILTERED: "a content filter stopped its reply",
        Finding.RESULT_REFUSED: f"the endpoint rejects the tool's result: {result.trouble}",
        Finding.RESULT_DROPPED: "the tool's result does not reach it: its prompt does not grow by it",
        Finding.CALLS_AGAIN: "calls again instead of answering after the tool's result",
        Finding.SILENT: "does not answer in text after the tool's result",
    }[result.finding]


def details(result: ProbeResult) -> Iterator[str]:
    """What the finding rests on, a line each."""
    record = result.record
    if record.said:
        yield f"its {'call' if result.called else 'reply'}: “{record.said}”"
    if len(record.readers) > 1:
        yield f"dialects that parse a call in this: {', '.join(record.readers)}"
    yield from figures(result)


def figures(result: ProbeResult) -> Iterator[str]:
    """Tokens and seconds, as far as they are known."""
    record = result.record
    if record.prompt_tokens and record.prompt_tokens_without:
        yield f"prompt: {record.prompt_tokens:,} tokens with the tool, {record.prompt_tokens_without:,} without it"
    if record.tokens_per_second and record.first_reply:
        digits = 0 if record.tokens_per_second >= 10 else 1
        speed = f"{record.tokens_per_second:,.{digits}f}"
        yield f"speed: {speed} tokens per second, first reply after {record.first_reply:.1f} s"


def suggestion(result: ProbeResult) -> str | None:
    """What helps, or what it means for a run; None where there is nothing to say."""
    place, finding = _place(result), result.finding
    if finding is Finding.NO_ANSWER:
        endpoint = endpoint_of(result.model)
        return (meant(endpoint, str(result.model.describe()["model"])) if endpoint else "") or None
    if finding is Finding.TOO_SLOW:
        return "raise --set endpoint.timeout=SECONDS, or lower --max-tokens"
    if finding in (Finding.WRONG_TOOL, Finding.WRONG_ARGUMENTS, Finding.CALLS_AGAIN, Finding.SILENT):
        return "the endpoint works; in a run, such replies count as mistakes of the model"
    if finding is Finding.UNREADABLE_CALL:
        return "in a run, such replies count as mistakes of the model; a lower --temperature often makes them rarer"
    if finding is Finding.CUT_OFF and 0 < result.limit < MOST_TOKENS:
        return "raise --max-tokens, or start the server with a longer context"
    if finding is Finding.CUT_OFF:
        return "in a run, --max-tokens limits the length of a reply"
    if finding is Finding.CUT_OFF_REASONING:
        return f"in a run, give --max-tokens {4 * max(result.limit, MOST_REASONING)} or more"
    if finding is Finding.FILTERED:
        return "check the content filter in the provider's settings"
    if finding in (Finding.ONLY_REASONING, Finding.EMPTY, Finding.TEMPLATE_MARKS):
        return _of_nothing(place, finding)
    return _of_calls(result, place)


def _of_nothing(place: _Place, finding: Finding) -> str:
    if not place.own:
        return "probe again; if it stays so, try another model of the provider"
    if finding is Finding.TEMPLATE_MARKS:
        return "serve it with the model's own chat template; a base model has none"
    if finding is Finding.EMPTY:
        return "check that its chat template is the model's own"
    return "check that the reasoning parser of its server fits the model"


def _of_calls(result: ProbeResult, place: _Place) -> str | None:
    """What makes calls and results arrive: a dialect, or another way of serving the model."""
    finding, best = result.finding, place.better(result.record.readers)
    use = f"use --dialect {best}"
    if finding in (Finding.TOOLS_REFUSED, Finding.CALLS_AS_TEXT) and place.parser and not place.asked:
        return f"{use}, or start its server with {place.parser}"
    if finding is Finding.CALLS_AS_TEXT and place.own and not place.asked:
        return f"{use}, or the tool-call parser of its server, if it has one"
    if finding is Finding.TOOLS_DROPPED and place.own and not place.asked:
        return f"{use}, or serve it with a chat template that renders tools"
    if finding in (Finding.TOOLS_DROPPED, Finding.RESULT_DROPPED, Finding.RESULT_REFUSED) and place.asked:
        return "serve it with a chat template that renders every message" if place.own else None
    if finding is Finding.WORDS and best and not place.asked and place.own and not result.record.prompt_tokens:
        return f"check that tool calling is enabled on its server, or {use}"
    if finding is Finding.WORDS and best:
        return f"probe again; if it stays so, compare with --dialect {best}"
    if finding is Finding.WORDS:
        return "probe again; if it stays so, the tasks of a run that need a tool will fail"
    return use if best and finding not in (Finding.GOOD, Finding.NO_ANSWER) else None


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

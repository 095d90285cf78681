"""The formats of logs by their names, and how a file is recognised."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from msgspec import Struct

from toolgauge.data.record import DataLine
from toolgauge.errors import DataError, UsageError
from toolgauge.files import open_regular
from toolgauge.limits import MAX_FILE_BYTES
from toolgauge.logs.conversation import Finds, LeftOut, left_out
from toolgauge.logs.formats import (
    coding_agents,
    exchanges,
    inspect_logs,
    mapped,
    observability,
    results,
    sharegpt,
    traces,
)
from toolgauge.logs.joining import Gatherer, Piece
from toolgauge.logs.parts import Json
from toolgauge.logs.records import records

AUTO, MAPPED = "auto", "jsonl-map"
LOOKED_AT = 50
"""Objects of a file by which it is recognised."""


class Format(Struct, frozen=True):
    """A format. recognise: is an object of this format? read: its pieces; raises DataError. lines: where every line
    of a file is needed to read one."""

    name: str
    title: str
    recognise: Callable[[Json], bool]
    read: Callable[[DataLine], Iterator[Piece]] | None = None
    lines: Callable[[Sequence[DataLine]], Iterator[Piece]] | None = None
    start: Callable[[], Callable[[DataLine], Iterator[Piece]]] | None = None
    """Makes a reader with a memory of its own, instead of `read`."""


def _is_chat(value: Json) -> bool:
    return exchanges.request_in(value) is not None


def _is_helicone(value: Json) -> bool:
    return "request_body" in value and "response_body" in value


def _is_litellm(value: Json) -> bool:
    if "standard_logging_object" in value:
        return True
    return "call_type" in value and any(
        key in value for key in ("model_parameters", "messages", "proxy_server_request")
    )


def _is_bedrock(value: Json) -> bool:
    is_log = value.get("schemaType") == "ModelInvocationLog"
    return is_log or "toolConfig" in value or exchanges.has_parts(value, "toolUse", "toolResult")


FORMATS = (
    Format("claude-code", "Claude Code transcript", coding_agents.is_claude_code, lines=coding_agents.read_claude_code),
    Format("codex", "Codex rollout", coding_agents.is_codex, lines=coding_agents.read_codex),
    Format("openinference", "OpenInference spans", traces.is_openinference, traces.read_trace),
    Format("otel", "OpenTelemetry spans", traces.is_trace, traces.read_trace),
    Format("inspect", "Inspect AI log", inspect_logs.is_inspect),
    Format("agents-sdk", "OpenAI Agents SDK trace", observability.is_agents_trace, observability.read_agents_trace),
    Format("langsmith", "LangSmith runs", observability.is_langsmith, observability.read_langsmith),
    Format("langgraph", "LangGraph state", observability.is_langgraph, observability.read_langgraph),
    Format("langfuse", "Langfuse observations", observability.is_langfuse, observability.read_langfuse),
    Format("tau", "tau-bench or tau2-bench results", results.is_tau, results.read_tau),
    Format("bfcl", "BFCL results", results.is_bfcl, results.read_bfcl),
    Format("autogen", "AutoGen messages or state", results.is_autogen, results.read_autogen),
    Format("toolace", "ToolACE", sharegpt.is_toolace, sharegpt.read_sharegpt),
    Format("sharegpt", "ShareGPT turns", sharegpt.is_sharegpt, sharegpt.read_sharegpt),
    Format("glaive", "glaive-function-calling", sharegpt.is_glaive, sharegpt.read_glaive),
    Format("xlam", "xlam-function-calling", sharegpt.is_xlam, sharegpt.read_xlam),
    Format("helicone", "Helicone requests", _is_helicone, exchanges.read_gateway),
    Format("litellm", "LiteLLM logs", _is_litellm, exchanges.read_gateway),
    Format("responses", "OpenAI Responses", exchanges.is_responses, start=exchanges.ResponsesReader),
    Format("bedrock", "Bedrock Converse or invocation log", _is_bedrock, exchanges.read_bedrock),
    Format("gemini", "Gemini contents", exchanges.is_gemini, exchanges.read_chat),
    Format("ai-sdk", "AI SDK messages", exchanges.is_ai_sdk, exchanges.read_chat),
    Format("langchain", "LangChain messages", exchanges.is_langchain, exchanges.read_chat),
    Format("anthropic", "Anthropic messages", exchanges.is_anthropic, exchanges.read_chat),
    Format("openai", "OpenAI chat messages", _is_chat, exchanges.read_chat),
)  # fmt: skip
"""In the order in which they are tried: what only one format has comes first."""
BY_NAME = {one.name: one for one in FORMATS}
NAMES = (AUTO, *BY_NAME, MAPPED)


def read_files(
    paths: Sequence[Path], name: str = AUTO, mapping: Path | None = None, told: Callable[[str], None] = lambda _: None
) -> Finds:
    """The conversations of log files, and what is left out. name: of a format, or auto. mapping: where things are, for
    "jsonl-map". told: is given the title of every format that was recognised.

    Raises UsageError for an unknown name, and DataError for a mapping that is none.
    """
    if name not in NAMES:
        raise UsageError(f"--from: unknown format '{name}'; choose one of {', '.join(NAMES)}")
    if (mapping is None) == (name == MAPPED):
        raise UsageError(f"--map and --from {MAPPED} must be given together")
    if mapping is not None:
        read = partial(mapped.read_mapped, mapping=mapped.read_mapping(mapping))
        return _conversations(Format(MAPPED, "", lambda _value: True, read), paths)
    if name != AUTO:
        return _conversations(BY_NAME[name], paths)
    return _recognised(paths, told)


def _recognised(paths: Sequence[Path], told: Callable[[str], None]) -> Finds:
    """Each file by the reader of its format; files of one format are read together, since their parts may lie apart."""
    groups: dict[str, list[Path]] = {}
    for path in paths:
        log_format = recognise(path)
        if isinstance(log_format, LeftOut):
            yield log_format
        else:
            groups.setdefault(log_format.name, []).append(path)
    for name, files in groups.items():
        told(f"{BY_NAME[name].title} ({name}): {len(files)} file{'' if len(files) == 1 else 's'}")
        yield from _conversations(BY_NAME[name], files)


def recognise(path: Path) -> Format | LeftOut:
    """The format of a file, by its first objects; what is wrong with it where none of them tells."""
    if inspect_logs.is_inspect_archive(path):
        return BY_NAME["inspect"]
    fault: LeftOut | None = None
    for record in islice(records(path), LOOKED_AT):
        if isinstance(record, LeftOut):
            fault = fault or record
            continue
        match = next((candidate for candidate in FORMATS if candidate.recognise(record.value)), None)
        if match is not None:
            return match
    return fault or LeftOut(
        str(path), "unknown format; name it with --from, or describe it with --from jsonl-map --map FILE"
    )


def _conversations(what: Format, paths: Sequence[Path]) -> Finds:
    gatherer = Gatherer(what.name)
    for piece in _pieces(what, paths):
        if isinstance(piece, LeftOut):
            yield piece
        else:
            yield from gatherer.add(piece)
    yield from gatherer.conversations()


def _pieces(what: Format, paths: Sequence[Path]) -> Iterator[Piece | LeftOut]:
    if what.name == "inspect":
        yield from inspect_logs.read_inspect(paths)
        return
    read = what.start() if what.start is not None else what.read
    for path in paths:
        if what.lines is not None:
            yield from _by_file(what.lines, path)
            continue
        assert read is not None
        for record in records(path):
            yield from [record] if isinstance(record, LeftOut) else _guarded(read(record))


def _guarded(pieces: Iterable[Piece]) -> Iterator[Piece | LeftOut]:
    try:
        yield from pieces
    except DataError as error:
        yield left_out(error)


def _by_file(read: Callable[[Sequence[DataLine]], Iterator[Piece]], path: Path) -> Iterator[Piece | LeftOut]:
    try:
        with open_regular(path) as file:
            size = file.seek(0, 2)
    except OSError:
        size = 0  # `records` says what is wrong
    if size > MAX_FILE_BYTES:
        yield LeftOut(str(path), f"larger than {MAX_FILE_BYTES >> 20} MB")
        return
    lines: list[DataLine] = []
    for record in records(path):
        if isinstance(record, LeftOut):
            yield record
        else:
            lines.append(record)
    if lines:
        yield from _guarded(read(lines))

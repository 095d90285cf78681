"""A folder that `datasets.load_dataset` reads and that can be pushed to Hugging Face's hub as it is: its rows, and the
card that declares them, README.md with a header in YAML, in English and in Chinese.

Every column has one type, whatever the runs hold; the card takes the columns from the Structs of the rows. What differs
from tool to tool (schemas, arguments) is JSON text, as in OpenAI's format.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, get_args, get_origin, get_type_hints

import msgspec
import yaml
from msgspec import Struct
from msgspec.structs import asdict, fields, replace

from toolgauge.chat import Message
from toolgauge.data.lines import as_json
from toolgauge.data.task_ids import split_epoch
from toolgauge.locale import Text, _, translated
from toolgauge.report.exports.escaping import code
from toolgauge.report.exports.export_request import ExportRequest, Publication, file_below, strict_line
from toolgauge.report.exports.summaries import markdown
from toolgauge.report.exports.training import all_right, judged, messages_of, model_steps, openai_messages
from toolgauge.report.page import LANGUAGES, RunEntry
from toolgauge.visible import visible

LARGEST = 2**63 - 1
"""Of a whole number there."""


class RunRow(Struct, frozen=True, kw_only=True):
    """Which run a row is of. run: the name that tells it apart from the others here. started: when, as text that
    `datasets` does not turn into a time without a zone; None where nobody knows."""

    benchmark: str
    language: str
    model: str
    run: str
    started: str | None


class TaskRow(RunRow, frozen=True, kw_only=True):
    """A task and the verdict on it in one scoring. correct: None without one; mistake, why: of a wrong one."""

    task_id: str
    session_id: str
    task_index: int
    epoch: int
    scoring: str
    correct: bool | None
    optimal: bool | None
    mistake: str | None
    why: str | None


class HubFunction(Struct, frozen=True):
    """arguments: JSON text, or whatever else the model wrote."""

    name: str
    arguments: str


class HubCall(Struct, frozen=True):
    id: str
    type: str
    function: HubFunction


class HubMessage(Struct, frozen=True):
    role: str
    content: str | None = None
    tool_calls: tuple[HubCall, ...] = ()
    tool_call_id: str | None = None
    reasoning: str | None = None


class ConversationRow(RunRow, frozen=True, kw_only=True):
    """What was said. task_id: of the session where it is all of its tasks. correct: all tasks in it are right.

    tools: a JSON list. requests: replies of the measured model; the tokens are what its provider counted, seconds how
    long it took to answer.
    """

    task_id: str
    session_id: str
    epoch: int
    correct: bool | None
    messages: tuple[HubMessage, ...]
    tools: str
    stopped: str | None
    requests: int
    input_tokens: int
    output_tokens: int
    seconds: float


class RateRow(RunRow, frozen=True, kw_only=True):
    """A number of metrics.json: correct of total, from 0 to 1, with its 95% interval."""

    scoring: str
    table: str
    row: str
    value: float | None
    low: float | None
    high: float | None
    correct: float
    total: int


def _run(entry: RunEntry) -> RunRow:
    moment = entry.run.manifest.started
    return RunRow(
        benchmark=entry.benchmark,
        language=entry.language,
        model=entry.run.model,
        run=entry.label,
        started=moment.replace("T", " ").replace("Z", " UTC") if moment else None,
    )


def task_rows(wanted: ExportRequest) -> Iterator[TaskRow]:
    """A row per task that was scored, in the order of the scores."""
    for entry in wanted.entries:
        scoring = wanted.scoring_of(entry)
        for score in entry.run.scores:
            verdict, cause = score.scorings.get(scoring), score.cause(scoring)
            yield TaskRow(
                **asdict(_run(entry)),
                task_id=score.task_id,
                session_id=score.session_id,
                task_index=score.task_index,
                epoch=split_epoch(score.task_id)[1],
                scoring=scoring,
                correct=verdict.correct if verdict else None,
                optimal=verdict.optimal if verdict else None,
                mistake=cause.mistake if cause else None,
                why=cause.why.detail if cause and cause.why else None,
            )


def conversation_rows(wanted: ExportRequest) -> Iterator[ConversationRow]:
    """A row per conversation, in the order in which they ended."""
    for entry in wanted.entries:
        scoring = wanted.scoring_of(entry)
        for trajectory, scores in judged(entry.run):
            steps = model_steps(trajectory)
            replies = [step.reply for step in steps]
            yield ConversationRow(
                **asdict(_run(entry)),
                task_id=trajectory.task_id,
                session_id=trajectory.session_id,
                epoch=trajectory.epoch,
                correct=all_right(scores, scoring) if any(scoring in score.scorings for score in scores) else None,
                messages=hub_messages(messages_of(steps)),
                tools=as_json([tool.wire() for tool in trajectory.tools]),
                stopped=trajectory.stopped,
                requests=len(replies),
                input_tokens=min(sum(reply.usage.input_tokens for reply in replies), LARGEST),
                output_tokens=min(sum(reply.usage.output_tokens for reply in replies), LARGEST),
                seconds=round(sum(reply.seconds for reply in replies), 3),
            )


def rate_rows(wanted: ExportRequest) -> Iterator[RateRow]:
    """A row per rate, in every scoring."""
    for entry in wanted.entries:
        for scoring, tables in entry.run.metrics.scorings.items():
            for table, rows in tables.items():
                for row, rate in rows.items():
                    low, high = rate.ci95 or (None, None)
                    yield RateRow(
                        **asdict(_run(entry)),
                        scoring=scoring,
                        table=table,
                        row=row,
                        value=rate.value,
                        low=low,
                        high=high,
                        correct=float(rate.correct),
                        total=rate.total,
                    )


def hub_messages(messages: tuple[Message, ...]) -> tuple[HubMessage, ...]:
    """Messages with every field, and an id for every call."""
    wires = openai_messages(messages)
    reasoned = [{**wire, "reasoning": one.reasoning} for wire, one in zip(wires, messages, strict=True)]
    return msgspec.convert(reasoned, tuple[HubMessage, ...])


CONFIGS: dict[str, tuple[type[RunRow], Callable[[ExportRequest], Iterator[RunRow]]]] = {
    "tasks": (TaskRow, task_rows),
    "conversations": (ConversationRow, conversation_rows),
    "rates": (RateRow, rate_rows),
}
"""Its parts, as `load_dataset` names them; the first is the default."""


TEST = "test"
FREE, UNKNOWN = "apache-2.0", "unknown"
"""The licence of the embedded benchmark; of other data this package does not know any."""
TYPES: dict[object, str] = {str: "string", int: "int64", float: "float64", bool: "bool"}
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
ABOUT = {
    "tasks": _("a row per task: was it right in the scoring, and if not, which mistake and why"),
    "conversations": _(
        "a row per conversation: every message, call and result, the available tools, tokens and seconds"
    ),
    "rates": _("a row per rate of metrics.json in every scoring: value, 95 percent interval, counts"),
}


def data_file(config: str) -> str:
    return f"data/{config}.jsonl"


class PartSize(NamedTuple):
    """rows, and bytes of the file."""

    rows: int
    size: int


def data_card(wanted: ExportRequest, sizes: Mapping[str, PartSize]) -> Iterator[str]:
    """The lines. sizes: of each part."""
    yield from front_matter(_header(wanted, sizes))
    for language in LANGUAGES:
        yield ""
        yield from _words(replace(wanted, language=language))


def front_matter(values: dict[str, object]) -> Iterator[str]:
    yield "---"
    yield yaml.safe_dump(values, allow_unicode=True, sort_keys=False, width=120).rstrip("\n")
    yield "---"


def _header(wanted: ExportRequest, sizes: Mapping[str, PartSize]) -> dict[str, object]:
    models = sorted({entry.run.model for entry in wanted.entries})
    boards = ", ".join(sorted({entry.board for entry in wanted.entries}))
    return header(
        f"{boards}: {', '.join(models)}",
        sorted({entry.language for entry in wanted.entries}),
        FREE if _is_ours(wanted) else UNKNOWN,
        TEST,
        {name: (row, sizes[name]) for name, (row, _rows) in CONFIGS.items()},
    )


def header(
    name: str, languages: list[str], licence: str, split: str, parts: Mapping[str, tuple[type[Struct], PartSize]]
) -> dict[str, object]:
    """What stands in the card's header. parts: of each its rows' Struct, the first one is the default."""
    most = max(size.rows for _row, size in parts.values())
    return {
        "pretty_name": visible(name)[:200],
        "language": languages,
        "license": licence,
        "task_categories": ["text-generation"],
        "tags": ["tool-use", "function-calling", *(["evaluation"] if split == TEST else []), "toolgauge"],
        "size_categories": [next((name for limit, name in SIZES if most < limit), "n>1M")],
        "configs": [
            {
                "config_name": part,
                **({"default": True} if part == next(iter(parts)) else {}),
                "data_files": [{"split": split, "path": data_file(part)}],
            }
            for part in parts
        ],
        "dataset_info": [
            {
                "config_name": part,
                "features": features(row),
                "splits": [{"name": split, "num_examples": size.rows, "num_bytes": size.size}],
                "download_size": size.size,
                "dataset_size": size.size,
            }
            for part, (row, size) in parts.items()
        ],
    }


def _is_ours(wanted: ExportRequest) -> bool:
    return all(entry.run.benchmark.embedded and not entry.run.manifest.data_file for entry in wanted.entries)


def features(row: object) -> list[dict[str, object]]:
    """The columns of a Struct, as `datasets` declares them."""
    assert isinstance(row, type)
    assert issubclass(row, Struct)
    hints = get_type_hints(row)
    return [{"name": one.name, **_feature(hints[one.name])} for one in fields(row)]


def _feature(hint: object) -> dict[str, object]:
    if isinstance(hint, types.UnionType):
        (hint,) = (one for one in get_args(hint) if one is not types.NoneType)
    if get_origin(hint) is tuple:
        item = get_args(hint)[0]
        return {"list": TYPES.get(item) or features(item)}
    return {"dtype": TYPES[hint]} if hint in TYPES else {"struct": features(hint)}


def _words(wanted: ExportRequest) -> Iterator[str]:
    def said(text: Text) -> str:
        return translated(text, wanted.language)

    heading = said(_("Runs of tool-use benchmarks"))
    yield f"# {heading}"
    yield ""
    yield said(
        _(
            "Made by toolgauge from the run directories of the models below: what they said, the verdict on every "
            "task, and the numbers that follow. `toolgauge score` computes these again from the conversations."
        )
    )
    yield ""
    for name in CONFIGS:
        yield f"- {code(name)}: {said(ABOUT[name])}"
    yield ""
    yield from loaded("tasks", TEST)
    if _is_ours(wanted):
        yield said(_("Licence: {licence}, that of the benchmark, which comes with toolgauge.", licence=FREE))
    else:
        yield said(
            _(
                "Licence: the conversations hold texts and tools of the benchmark's data, and replies of the models. "
                "Both have terms of their own: name the licence in the header before this is published."
            )
        )
    yield from (said(line) if isinstance(line, Text) else line for line in published_by(wanted.publication))
    yield ""
    yield from markdown(wanted)


def loaded(part: str, split: str) -> Iterator[str]:
    """How a part is loaded."""
    yield "```python"
    yield "from datasets import load_dataset"
    yield ""
    yield f'{part} = load_dataset("OWNER/NAME", "{part}", split="{split}")'
    yield "```"
    yield ""


def published_by(publication: Publication) -> Iterator[Text | str]:
    if publication.evidence or publication.publisher:
        yield ""
        yield _(
            "Published by: {publisher}. More about it: {evidence}",
            publisher=code(publication.publisher or "–"),
            evidence=code(publication.evidence or "–"),
        )


CARD = "README.md"


def write_hub_folder(wanted: ExportRequest, folder: Path) -> list[Path]:
    """Write the rows of every part, then the card that declares them; the files written."""
    written: list[Path] = []
    sizes: dict[str, PartSize] = {}
    for name, (_row, rows) in CONFIGS.items():
        with file_below(folder, data_file(name)) as (path, file):
            lengths = [file.write(strict_line(row)) for row in rows(wanted)]
        sizes[name] = PartSize(len(lengths), sum(lengths))
        written.append(path)
    with file_below(folder, CARD) as (path, file):
        for line in data_card(wanted, sizes):
            file.write(f"{line}\n".encode("utf-8", "replace"))
    return [path, *written]

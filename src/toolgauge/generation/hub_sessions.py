"""Sessions as a data set for Hugging Face's hub: a generation's, or those of a data file, in a folder that
`datasets.load_dataset` reads.

    README.md                   the card: header in YAML, then English and Chinese
    data/sessions.jsonl         a row per session: its tools, its tasks and their annotated calls
    data/conversations.jsonl    a row per dialogue as training data: messages and tools in OpenAI's form
    source/sessions.jsonl       what the rows were made of, as it is: `toolgauge run FILE` runs it

Every column has one type, whatever the tools are: what differs from tool to tool is JSON text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import UNSET, Struct

from toolgauge.analysis.titles import sessions_with_tasks, title
from toolgauge.benchmarks.data_files import sessions_in
from toolgauge.benchmarks.registry import OURS, find_benchmark
from toolgauge.chat import Message
from toolgauge.data.corrections import records_in
from toolgauge.data.lines import LANGUAGES, as_json, sha256_of
from toolgauge.data.session import Call, Session, Task
from toolgauge.errors import DataError, UsageError
from toolgauge.files import open_regular, require_apart, require_no_link
from toolgauge.generation.formats.records import conversation_of
from toolgauge.generation.graph import Unfinished
from toolgauge.generation.manifest import GenerationManifest, read_generation
from toolgauge.generation.resume import dialogue_of
from toolgauge.locale import Text, _, translated
from toolgauge.report.exports.escaping import code, plain
from toolgauge.report.exports.export_request import (
    Exported,
    Publication,
    file_below,
    require_export_folder,
    strict_line,
)
from toolgauge.report.exports.hub import (
    FREE,
    TEST,
    UNKNOWN,
    HubMessage,
    PartSize,
    data_file,
    front_matter,
    header,
    hub_messages,
    loaded,
    published_by,
)
from toolgauge.runs.manifest import MANIFEST, read_content

CARD, SESSIONS = "README.md", "sessions.jsonl"
SOURCE = f"source/{SESSIONS}"


class CallRow(Struct, frozen=True):
    """An annotated call, question (ask_user_for_required_parameters) or closing reply (prepare_to_answer).

    arguments, observation: JSON text. after: places in `calls` of those that it needs.
    """

    name: str
    arguments: str
    after: tuple[int, ...]
    optional: bool
    observation: str


class TaskEntry(Struct, frozen=True):
    """task_type, reference: as docs/files.md#data-of-your-own names them."""

    utterance: str
    task_type: str
    reference: str
    calls: tuple[CallRow, ...]


class SessionRow(Struct, frozen=True):
    """tools: a JSON list in OpenAI's form; clock: the date and time that hold, in the data's words."""

    session_id: str
    language: str
    path: str
    clock: str
    tools: str
    tasks: tuple[TaskEntry, ...]


class DialogueRow(Struct, frozen=True):
    """tools: a JSON list."""

    session_id: str
    language: str
    messages: tuple[HubMessage, ...]
    tools: str


class Sessions(Struct, frozen=True):
    """What is published: sessions of a file, in the languages that it has. made_by: of a generation."""

    file: Path
    by_language: dict[str, tuple[Session, ...]]
    made_by: GenerationManifest | None = None

    @property
    def split(self) -> str:
        """What was made is for training, what somebody brings may be a benchmark."""
        return "train" if self.made_by else TEST

    @property
    def all(self) -> list[Session]:
        return [session for sessions in self.by_language.values() for session in sessions]


def holds_sessions(place: Path) -> bool:
    """Is it a data file, or the folder of a generation? A folder that holds neither may be a run's."""
    if not place.is_dir():
        return place.is_file()
    return (place / MANIFEST).is_file() and "generation" in read_content(place)


def open_sessions(place: Path) -> Sessions:
    """The sessions of a file, or of a generation's folder. Raises UsageError, DataError, StoreError."""
    file, made_by = place, None
    if place.is_dir():
        file, made_by = place / SESSIONS, read_generation(place)
        if not file.is_file():
            raise UsageError(f"{place}: no {SESSIONS} yet; run `toolgauge generate` with the same options to finish it")
    return Sessions(file, sessions_in(file), made_by)


def export_sessions(place: Path, out: Path | None, publication: Publication, overwrite: bool = False) -> Exported:
    """Write the folder of a data set; by default hf beside the file, or in the generation's folder.

    overwrite: also into a folder that has files in it already. Raises UsageError, DataError, StoreError.
    """
    given = open_sessions(place)
    folder = out or given.file.parent / "hf"
    if out is None:
        require_no_link(folder)
    require_export_folder(folder, "hf", overwrite)
    require_apart([folder / SOURCE, *(folder / data_file(name) for name in PARTS)], [given.file])
    written, sizes = [], {}
    for name, (_row, rows) in PARTS.items():
        with file_below(folder, data_file(name)) as (path, file):
            lengths = [file.write(strict_line(row)) for row in rows(given)]
        sizes[name] = PartSize(len(lengths), sum(lengths))
        written.append(path)
    with file_below(folder, SOURCE) as (path, file), open_regular(given.file) as original:
        file.writelines(original)
        written.append(path)
    with file_below(folder, CARD) as (path, file):
        for line in _card(given, sizes, publication):
            file.write(f"{line}\n".encode("utf-8", "replace"))
    return Exported((path, *written), tuple(_missing(given, sizes)))


def _missing(given: Sessions, sizes: Mapping[str, PartSize]) -> Iterator[str]:
    """What a data set lacks that its reader would expect."""
    if _licence(given) == UNKNOWN:
        yield f"the card says `license: unknown`; state the licence in the header of {CARD} before you publish"
    lacking = sizes["sessions"].rows - sizes["conversations"].rows
    if lacking:
        yield f"incomplete sessions, left out of the training data: {lacking:,}"


def _licence(given: Sessions) -> str:
    """Ours are free: what comes with the package."""
    ours = {sha256_of(one.embedded) for one in map(find_benchmark, OURS) if one.embedded is not None}
    return FREE if sha256_of(given.file) in ours else UNKNOWN


def _session_rows(given: Sessions) -> Iterator[SessionRow]:
    for language, sessions in given.by_language.items():
        for one in sessions:
            path = ", ".join(task.type.value for task in one.tasks)
            tools = as_json([tool.wire() for tool in one.tools])
            yield SessionRow(one.id, language, path, one.clock, tools, tuple(map(_task, one.tasks)))


def _task(task: Task) -> TaskEntry:
    return TaskEntry(task.utterance, task.type.value, task.reference.value, tuple(map(_call, task.calls)))


def _call(call: Call) -> CallRow:
    return CallRow(call.name, as_json(call.arguments), call.after, call.optional, as_json(call.observation))


def _dialogue_rows(given: Sessions) -> Iterator[DialogueRow]:
    for language in given.by_language:
        for record in records_in(given.file):
            with suppress(DataError, Unfinished):
                made = conversation_of(dialogue_of(record.value, language))
                messages: tuple[Message, ...] = made.messages
                tools = as_json([tool.wire() for tool in made.tools])
                yield DialogueRow(record.session, language, hub_messages(messages), tools)


PARTS: dict[str, tuple[type[Struct], Callable[[Sessions], Iterator[Struct]]]] = {
    "sessions": (SessionRow, _session_rows),
    "conversations": (DialogueRow, _dialogue_rows),
}
"""As `load_dataset` names them; the first is the default."""
TITLE = _("Multi-turn dialogues with tool calls")
ABOUT = {
    "sessions": _("a row per session: the available tools, the user's tasks, and the annotated calls of each"),
    "conversations": _("a row per dialogue, for training an assistant: messages and tools in OpenAI's form"),
}


def _card(given: Sessions, sizes: Mapping[str, PartSize], publication: Publication) -> Iterator[str]:
    parts = {name: (row, sizes[name]) for name, (row, _rows) in PARTS.items()}
    name = given.file.parent.name if given.made_by else given.file.stem
    yield from front_matter(header(name, list(given.by_language), _licence(given), given.split, parts))
    for language in LANGUAGES:
        yield ""
        for line in _words(given, publication, language):
            yield translated(line, language) if isinstance(line, Text) else line


def _words(given: Sessions, publication: Publication, language: str) -> Iterator[Text | str]:
    tasks = [task for session in given.all for task in session.tasks]
    yield f"# {translated(TITLE, language)}"
    yield ""
    yield sessions_with_tasks(len(given.all), len(tasks))
    yield ""
    for name, said in ABOUT.items():
        yield f"- {code(name)}: {translated(said, language)}"
    yield _(
        "- {file}: the same sessions as toolgauge reads them; `toolgauge run FILE` runs them",
        file=code(SOURCE),
    )
    yield ""
    yield from loaded("sessions", given.split)
    yield from _counted(_("task type"), Counter(task.type.value for task in tasks), language)
    yield from _counted(_("reference"), Counter(task.reference.value for task in tasks), language)
    if given.made_by:
        yield from _making(given.made_by)
    if _licence(given) == FREE:
        yield _("Licence: {licence}, that of the benchmark, which comes with toolgauge.", licence=FREE)
    else:
        yield _(
            "Licence: not stated yet. Tools and texts of others, and models that wrote texts, have terms of their own: "
            "name the licence in the header before this is published."
        )
    yield from published_by(publication)


def _counted(heading: Text, counts: Counter[str], language: str) -> Iterator[Text | str]:
    counted = translated(_("tasks"), language)
    yield f"| {translated(heading, language)} | {counted} |"
    yield "|---|---:|"
    yield from (f"| {title(name, language)} | {count:,} |" for name, count in counts.most_common())
    yield ""


def _making(made_by: GenerationManifest) -> Iterator[Text | str]:
    """Who made a generation, and when."""
    said = (
        _("Made by toolgauge {version}.")
        if made_by.started is UNSET
        else _("Made by toolgauge {version}, from {moment} on.")
    )
    yield said.filled(version=code(str(made_by.toolgauge)), moment=code(str(made_by.started)))
    yield ""
    names = {
        one.name: [role for role, other in made_by.models.items() if other == one] for one in made_by.models.values()
    }
    yield from (f"- {code(model)}: {plain(', '.join(roles))}" for model, roles in names.items())
    yield ""

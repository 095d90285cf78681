"""`toolgauge data import`: logs into a folder of sessions, with the conversations they were made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from toolgauge.analysis.judgments import JUDGMENTS
from toolgauge.data.lines import LANGUAGES
from toolgauge.data.record import MAX_PROBLEMS, Problem
from toolgauge.errors import StoreError, UsageError, os_cause
from toolgauge.files import make_folders, own_folder, read_marker, replacing, require_own_folder, write_whole
from toolgauge.logs.conversation import Conversation, Finds, LeftOut, Names
from toolgauge.logs.definitions import Offered
from toolgauge.logs.files import CONVERSATIONS, conversation_line
from toolgauge.logs.redaction import Redactor
from toolgauge.logs.tasks import NoSession, Splits, to_session

SESSIONS, SPLITS, REPORT = "sessions.jsonl", "splits.jsonl", "import.json"
OTHERS = {language: f"sessions.{language}.jsonl" for language in LANGUAGES}
"""Of sessions in another language than the first one: a file of sessions has one."""
FILES = (SESSIONS, *OTHERS.values(), CONVERSATIONS, SPLITS, REPORT)


class ImportOptions(Struct, frozen=True):
    """offered: tools for what the log does not define; redactor: None leaves everything as it is; language: "en", "zh",
    or None: what its user writes; limit: conversations at most (0: all)."""

    format: str
    offered: Offered = Offered()
    redactor: Redactor | None = None
    language: str | None = None
    limit: int = 0
    splits: Splits = {}
    overwrite: bool = False


class ImportReport(Struct, omit_defaults=True):
    """import.json. formats: conversations by the format that they were read in; rejected: parts of the log that are
    left out; without_session: conversations of which no session could be made; weak: how often each weakness occurs;
    redacted: by kind, places and different values; is_redacted: personal data were looked for; problems: the first of
    them."""

    version: int
    format: str
    files: tuple[str, ...]
    formats: dict[str, int] = {}
    conversations: int = 0
    sessions: int = 0
    tasks: int = 0
    rejected: int = 0
    without_session: int = 0
    weak: dict[str, int] = {}
    redacted: dict[str, dict[str, int]] = {}
    is_redacted: bool = False
    problems: list[dict[str, object]] = []


def import_logs(
    files: Sequence[Path], finds: Finds, out: Path, options: ImportOptions, tell: Callable[[Problem], None]
) -> ImportReport:
    """Write what was found in log files into a folder. tell: is given every problem, as it is met.

    The files of an earlier import there are replaced. Raises UsageError where the folder holds anything else, where a
    redacted import would be replaced by one that is not, or where there is no conversation in the logs (then nothing is
    touched), and StoreError where a file cannot be written.
    """
    earlier = read_marker(out / REPORT, ImportReport)
    require_own_folder(out, earlier is not None, options.overwrite)
    if earlier is not None and earlier.is_redacted and options.redactor is None and not options.overwrite:
        raise UsageError(
            f"{out} was imported with --redact; use --redact again, or --overwrite to replace it unredacted"
        )
    writer = _Writer(options, tell)
    conversations = writer.conversations(finds)
    first = next(conversations, None)
    if first is None:
        raise UsageError(f"no conversation found with --from {options.format}; nothing written")
    try:
        make_folders(out)
        own_folder(out)  # no link
    except OSError as error:
        raise StoreError(f"cannot write {error.filename or out}: {os_cause(error)}; choose another --out") from error
    with (
        _session_files(out) as sessions,
        replacing(out / CONVERSATIONS) as conversations_file,
        replacing(out / SPLITS) as splits,
    ):
        writer.write(first, sessions, conversations_file, splits)
        for conversation in conversations:
            writer.write(conversation, sessions, conversations_file, splits)
    report = writer.report(files)
    (out / JUDGMENTS).unlink(missing_ok=True)  # they were about what stood here before
    write_whole(out / REPORT, msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n")
    return report


@contextmanager
def _session_files(out: Path) -> Iterator[Callable[[str], BinaryIO]]:
    """The file of each language's sessions: SESSIONS of the first one that occurs."""
    files: dict[str, BinaryIO] = {}
    with ExitStack() as stack:

        def of(language: str) -> BinaryIO:
            if language not in files:
                name = OTHERS[language] if files else SESSIONS
                files[language] = stack.enter_context(replacing(out / name))
            return files[language]

        yield of
        if not files:
            stack.enter_context(replacing(out / SESSIONS))
        for language in OTHERS.keys() - [*files][1:]:
            (out / OTHERS[language]).unlink(missing_ok=True)


class _Writer:
    """Writes one conversation after the other, and counts."""

    def __init__(self, options: ImportOptions, tell: Callable[[Problem], None]) -> None:
        self._options, self._tell = options, tell
        self._names = Names()
        self._counts: Counter[str] = Counter()
        self._formats: Counter[str] = Counter()
        self._weak: Counter[str] = Counter()
        self._problems: list[dict[str, object]] = []
        self._split: set[str] = set()

    def conversations(self, finds: Finds) -> Iterator[Conversation]:
        """What is kept of what was found: redacted, named, with tools."""
        count = 0
        redactor = self._options.redactor
        for find in finds:
            if isinstance(find, LeftOut):
                self._counts["rejected"] += 1
                self._problem(find)
                continue
            conversation = self._options.offered.with_tools(find)
            conversation = redactor.conversation(conversation) if redactor else conversation
            yield replace(conversation, id=self._names.name(conversation.id))
            count += 1
            if count == self._options.limit:
                return

    def write(
        self, conversation: Conversation, sessions: Callable[[str], BinaryIO], conversations: BinaryIO, splits: BinaryIO
    ) -> None:
        self._counts["conversations"] += 1
        self._formats[conversation.format] += 1
        if conversation.id in self._options.splits:
            self._split.add(conversation.id)
        conversations.write(conversation_line(conversation))
        try:
            imported = to_session(conversation, self._options.language, self._options.splits.get(conversation.id))
        except NoSession as error:
            self._counts["without_session"] += 1
            self._problem(Problem(conversation.id, error.text, conversation.line or None), conversation.id)
            return
        self._counts["sessions"] += 1
        self._counts["tasks"] += len(imported.session.tasks)
        self._weak.update(weakness.code.value for weakness in imported.weak)
        sessions(imported.session.language).write(msgspec.json.encode(imported.record) + b"\n")
        splits.writelines(msgspec.json.encode(split) + b"\n" for split in imported.splits)

    def _problem(self, problem: Problem, conversation: str | None = None) -> None:
        self._tell(problem)
        if len(self._problems) < MAX_PROBLEMS:
            file = None if conversation else self._shown(problem.file)
            places = {"file": file, "line": problem.line, "path": problem.path}
            about = {"conversation": conversation, **places, "problem": str(problem.message)}
            self._problems.append({key: value for key, value in about.items() if value})

    def _shown(self, file: str) -> str:
        name = Path(file).name
        return self._options.redactor.text(name) if self._options.redactor else name

    def report(self, files: Sequence[Path]) -> ImportReport:
        unknown = self._options.splits.keys() - self._split
        if unknown and not self._options.limit:
            self._problem(Problem(SPLITS, f"conversations not found in the log: {len(unknown):,}"))
        redactor = self._options.redactor
        redacted = redactor.counts() if redactor else {}
        return ImportReport(
            version=1,
            format=self._options.format,
            files=tuple(self._shown(str(file)) for file in files),
            formats=dict(sorted(self._formats.items())),
            **self._counts,
            weak=dict(sorted(self._weak.items())),
            redacted=redacted,
            is_redacted=redactor is not None,
            problems=self._problems,
        )

"""ACEBench as a benchmark: loading, asking, judging (docs/acebench.md; the parts are in the files beside this one)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from msgspec import UNSET, Struct
from msgspec.structs import replace

from toolgauge.benchmarks.acebench.agents import agent_episode
from toolgauge.benchmarks.acebench.asking import AceOptions, answer_text, native_calls, single_episode
from toolgauge.benchmarks.acebench.data.entries import AceDataset, AceEntry, category_of, select_categories
from toolgauge.benchmarks.acebench.data.load import load_acebench
from toolgauge.benchmarks.acebench.data.published import ACEBENCH, find_tables, load_tables
from toolgauge.benchmarks.acebench.decoder.values import RefusalCode
from toolgauge.benchmarks.acebench.judge.judge import judge_agent, judge_normal, judge_special
from toolgauge.benchmarks.acebench.judge.verdict import AceCode, AceVerdict
from toolgauge.benchmarks.acebench.predictions import AcePredictions, language_recorded, results_in
from toolgauge.benchmarks.benchmark import DEFAULT, Agreement, Role, Sample, Setup, chosen
from toolgauge.benchmarks.certificates import uncertified
from toolgauge.benchmarks.options import BenchmarkOptions, chosen_options
from toolgauge.call_problems import CallProblem
from toolgauge.chat import Reply
from toolgauge.data.corrections import Corrections
from toolgauge.data.files import DataSource
from toolgauge.data.leaves import words
from toolgauge.data.task_ids import with_epoch, without_epoch
from toolgauge.episode import ASSISTANT, Episode, Stop, Trajectory
from toolgauge.errors import DataError
from toolgauge.judge.causes import as_malformed, as_unfinished, unusable_texts, with_agent_error
from toolgauge.judge.reasons import DialogueCode
from toolgauge.judge.replies import ReadReply
from toolgauge.judge.texts import TextKind
from toolgauge.judge.verdict import CORRECT, ERROR, EXACT, Score, Verdict
from toolgauge.reasons import Blame, Parameter, Reason, ReasonTexts, texts_of

if TYPE_CHECKING:
    from toolgauge.benchmarks.acebench.data.check import AceFiles
    from toolgauge.benchmarks.acebench.numbers.report import AceReport
    from toolgauge.benchmarks.acebench.view.display import AceDisplay

KNOWN_CORRECTIONS = Path(__file__).parent / "data" / "corrections.jsonl"
BLAMED = {
    Blame.MODEL: AceCode.BLAME_MODEL,
    Blame.SIMULATOR: AceCode.BLAME_SIMULATOR,
    Blame.ENVIRONMENT: AceCode.BLAME_ENVIRONMENT,
}

SAID = 2
"""Words of what it wants that a simulated user says at the least, if it says at all what it wants."""


class AceBench(Struct, frozen=True):
    """The benchmark; `dataset` is an AceDataset everywhere. The published style is the default."""

    name: str = "acebench"
    headline: str = "released"
    scorings: tuple[str, ...] = ("exact", "released")
    source: str | None = "acebench"
    sources: tuple[DataSource, ...] = (ACEBENCH,)
    Options: ClassVar[type[BenchmarkOptions]] = AceOptions
    embedded: Path | None = None
    known_corrections: Path | None = KNOWN_CORRECTIONS
    native_options: ClassVar[Mapping[str, object]] = {"style": "native"}
    blocking: ClassVar[bool] = False
    roles: ClassVar[Mapping[str, Role]] = {
        "user": Role("openai/gpt-4o", without="leave these tasks out with --category normal,special")
    }

    def speakers(self, samples: Iterable[Sample]) -> tuple[str, ...]:
        """A user is simulated in one category only."""
        talks = any(category_of(without_epoch(sample.key, sample.epoch)) == "agent_multi_turn" for sample in samples)
        return (ASSISTANT, "user") if talks else (ASSISTANT,)

    def load(self, file: Path, language: str, corrections: Corrections | None = None) -> AceDataset:
        """The entries of a data_all folder in one language; raises DataError."""
        return load_acebench(file, language, corrections=corrections)

    def warnings(self, dataset: AceDataset) -> list[str]:  # noqa: ARG002 - none so far
        return []

    def samples(self, dataset: AceDataset, setup: Setup = DEFAULT) -> list[Sample]:
        """One conversation an entry; `limit` takes the first so many sessions of each category."""
        asked = chosen_options(AceOptions, self.name, setup.options).categories
        wanted = select_categories(asked) if asked else dataset.categories
        entries = [entry for entry in dataset.entries if entry.category in wanted]
        if setup.limit is not None:
            # the place of an entry's session in its category, from 0
            numbers = {entry.id: int(entry.session_id.rpartition("_")[2]) for entry in entries}
            entries = [entry for entry in entries if numbers[entry.id] < setup.limit]
        every = (
            Sample(with_epoch(entry.id, epoch), entry.session_id, entry.turn or 0, epoch)
            for epoch in range(setup.epochs)
            for entry in entries
        )
        return chosen(every, setup.ids, f"{dataset.name} ({dataset.language})")

    def task_ids(self, dataset: AceDataset, samples: Iterable[Sample]) -> list[str]:  # noqa: ARG002 - a unit is a task
        return [sample.key for sample in samples]

    def data_files(self, told: bool = True) -> AceFiles:  # noqa: ARG002 - there is one layout
        from toolgauge.benchmarks.acebench.data.check import AceFiles

        return AceFiles(partial(uncertified, self))

    def sample_metadata(self, dataset: AceDataset, sample: Sample) -> dict[str, object]:
        return {"category": dataset.by_id[without_epoch(sample.key, sample.epoch)].category}

    def any_words_pass(self, dataset: AceDataset, sample: Sample) -> bool:  # noqa: ARG002 - words are judged too
        return False

    def files_beside(self, dataset: AceDataset) -> list[Path]:
        """What verdicts depend on beside the data: the worlds' tables, where there are any."""
        try:
            return sorted(find_tables(dataset.language, dataset.folder).glob("*.json"))
        except DataError:
            return []

    def order(self, dataset: AceDataset) -> dict[str, int]:
        places: dict[str, int] = {}
        for position, entry in enumerate(dataset.entries):
            places.setdefault(entry.session_id, position)
        return places

    def episode(self, dataset: AceDataset, sample: Sample, setup: Setup = DEFAULT) -> Episode:
        entry = dataset.by_id[without_epoch(sample.key, sample.epoch)]
        own = chosen_options(AceOptions, self.name, setup.options)
        if entry.kind.group == "agent":
            tables = _tables(dataset.language, dataset.folder)
            return agent_episode(entry, sample, own.style, own.max_turns, tables)
        return single_episode(entry, sample, own.style)

    def scores(self, dataset: AceDataset, trajectory: Trajectory) -> Iterator[Score]:
        """The verdict on an entry in both scorings; nothing for an entry that the data do not have."""
        entry = dataset.by_id.get(without_epoch(trajectory.task_id, trajectory.epoch))
        if entry is not None:
            scorings = {
                name: _verdict(verdict, trajectory, entry.question if name == EXACT else "")
                for name, verdict in judged(entry, trajectory).items()
            }
            last = next((step.reply for step in reversed(trajectory.steps) if step.role == ASSISTANT), Reply())
            offered = {function.name for function in entry.functions}
            read = ReadReply(last, exact=True)
            if entry.kind.group != "agent" or not scorings[EXACT].correct:  # a world that is right stays right
                no_call = last.tool_calls and native_calls(entry.native, last) is None
                unread = read.unread or (CallProblem.NO_CALL if no_call else None)
                scorings[EXACT] = as_malformed(scorings[EXACT], unread)
            scorings[EXACT] = as_unfinished(scorings[EXACT], read, offered)
            scorings = with_agent_error(scorings, trajectory.replies)
            yield Score(trajectory.task_id, entry.session_id, entry.turn or 0, scorings)

    def agreement(self, dataset: AceDataset, trajectories: Iterable[Trajectory]) -> Agreement | None:  # noqa: ARG002
        """The original's result files hold no labels."""
        return None

    def predictions(self, dataset: AceDataset, file: Path) -> AcePredictions:
        return AcePredictions(file, dataset)

    def language_recorded(self, file: Path) -> str | None:
        return language_recorded(file)

    def results_in(self, folder: Path) -> list[Path]:
        return results_in(folder)

    def reason_texts(self, language: str) -> ReasonTexts:
        return {
            **texts_of(
                (*AceCode, *RefusalCode, *TextKind, DialogueCode.NO_OUTPUT, DialogueCode.TEXT_FOR_CALLS), language
            ),
            **unusable_texts(language),
        }

    def report(self) -> AceReport:
        from toolgauge.benchmarks.acebench.numbers.report import AceReport

        return AceReport()

    def display(self) -> AceDisplay:
        from toolgauge.benchmarks.acebench.view.display import AceDisplay

        return AceDisplay()


def judged(entry: AceEntry, trajectory: Trajectory) -> dict[str, AceVerdict]:
    """The checkers' verdicts on what a trajectory holds."""
    if entry.kind.group == "agent":
        process = trajectory.extra.get("process")
        return judge_agent(entry, trajectory.extra.get("result"), process if isinstance(process, list) else [])
    text: object = answer_text(entry, trajectory.steps[0].reply) if trajectory.steps else None
    return judge_special(entry, text) if entry.kind.group == "special" else judge_normal(entry, text)


def _verdict(found: AceVerdict, trajectory: Trajectory, wish: str) -> Verdict:
    label = CORRECT if found.correct else ERROR
    process = UNSET if found.process is None else found.process
    wrong = ((found.function or "", found.path),) if found.path else UNSET
    verdict = Verdict(label, label, found.correct, (int(found.correct), 1), found.error_type, None, wrong, process)
    return verdict if found.why is None else _with_reason(verdict, found, found.why, _remarks(found, trajectory, wish))


def _with_reason(verdict: Verdict, found: AceVerdict, why: Reason, also: Sequence[AceCode]) -> Verdict:
    """Why it is wrong, with the call's and the argument's name and what else is to be said."""
    tool, path = found.function, found.path
    place = f"{tool}({path})" if tool and path else path or tool
    texts = [part for part in (place, why.text, *(code.text for code in also)) if part]
    about: dict[str, Parameter | None] = {"tool": tool, "path": path, **why.written(), "also": tuple(also)}
    parameters = {name: value for name, value in about.items() if value not in (None, ())}
    return replace(verdict, detail=": ".join(texts), code=why.code.value, parameters=parameters or UNSET)


def _remarks(found: AceVerdict, trajectory: Trajectory, wish: str) -> tuple[AceCode, ...]:
    """What is said beside the reason; in conversations also who is to blame."""
    crash = (AceCode.REFERENCE_CRASH,) if found.reference_crash else ()
    return (*crash, BLAMED[blame(trajectory, wish)]) if trajectory.extra.get("ended_by") else crash


def blame(trajectory: Trajectory, wish: str = "") -> Blame:
    """Who made a conversation fail: the simulated user, if it fell silent, ended it when it was asked, or never said
    what it wants; the environment, if that broke under a right call; else the model.

    wish: what the user is told that it wants; "" where nobody looks whether it said so.
    """
    users = [(step.reply.content or "").strip() for step in trajectory.steps if step.role == "user"]
    if not all(users):
        return Blame.SIMULATOR
    if wish and users and len(set(words(wish)) & {word for text in users for word in words(text)}) < SAID:
        return Blame.SIMULATOR  # "Hello", "How can I help you?"
    last = trajectory.steps[-1] if trajectory.steps else None
    if trajectory.extra.get("ended_by") == Stop.USER and last is not None and last.role == "user":
        before = [step.reply for step in trajectory.steps[:-1] if step.role == ASSISTANT]
        if before and (before[-1].content or "").rstrip().endswith(("?", "？")):
            return Blame.SIMULATOR
    return Blame.ENVIRONMENT if trajectory.extra.get("environment_errors") else Blame.MODEL


@cache
def _tables(language: str, folder: str) -> dict[str, object]:
    return dict(load_tables(language, folder))

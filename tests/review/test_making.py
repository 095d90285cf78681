"""What models make inside a review: layer by layer to a benchmark, proposals, limits, kills."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from contextlib import closing
from itertools import count
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

import toolgauge
from toolgauge.chat import Json, Reply, Request, Usage
from toolgauge.demo import LibraryAgents
from toolgauge.generation.options import GenerateOptions
from toolgauge.models.builtin.models import BuiltinModel
from toolgauge.review import commands
from toolgauge.review.desk import Desk
from toolgauge.review.edits import SetUtterance
from toolgauge.review.events import AnyEvent, Edited, EditOrigin, Outcome, PersonAdded
from toolgauge.review.handlers import do
from toolgauge.review.making.commands import AnyMaking, ContinueJob, MakeLayer
from toolgauge.review.making.jobs import JOB, JobStatus
from toolgauge.review.making.maker import Maker
from toolgauge.review.making.models import MakingOptions
from toolgauge.review.originals import open_originals
from toolgauge.review.refusals import Refused, Stale
from toolgauge.review.server.making import Made, MakingAnswers
from toolgauge.review.server.streams import Streams
from toolgauge.review.state import Person
from toolgauge.review.views.making import JobView, job_view, making_view, proposals_view
from toolgauge.runs.options import Limits

DEMO = MakingOptions(hints=LibraryAgents)
LANGUAGES = ("en", "zh")


@pytest.fixture(scope="module", params=LANGUAGES)
def first_layer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sessions of one task, of every kind."""
    folder = tmp_path_factory.mktemp("first") / "made"
    toolgauge.generate("builtin/oracle", paths="single;multi;clarify;chat", language=request.param, out=folder)
    return folder


@pytest.fixture
def folder(first_layer: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(first_layer, tmp_path / "made"))


class Review:
    """A review with its maker, as one server has it. Ada leads."""

    def __init__(self, folder: Path, options: MakingOptions | None = DEMO) -> None:
        ticks = count(1.0)
        self.desk = Desk(folder.parent / "review", open_originals(folder / "sessions.jsonl"), lambda: next(ticks))
        if not self.desk.state.people:
            for name in ("Ada", "Bo"):
                self.desk.happen(PersonAdded(name=name, is_lead=name == "Ada"))
        self.maker = Maker(self.desk, options)
        self.answers = MakingAnswers(self.maker, Streams(self.desk))

    def person(self, name: str) -> Person:
        return self.desk.state.people[name]

    def do(self, command: commands.AnyCommand, who: str = "Ada") -> AnyEvent:
        return do(self.desk, who, command)

    async def make(self, command: AnyMaking, who: str = "Ada") -> Made:
        return await self.answers.do(self.person(who), command, "en")

    async def made(self, command: AnyMaking, who: str = "Ada") -> JobView:
        """Ask for a job and wait for its end."""
        job = (await self.make(command, who)).job
        await self.until(job.number)
        return self.job(job.number)

    def job(self, number: int) -> JobView:
        return job_view(self.maker, self.person("Ada"), self.maker.jobs.by_number[number], "en")

    async def until(self, number: int) -> None:
        over = asyncio.Event()
        self.maker.worker.listeners.append(lambda job: None if job.status.is_active else over.set())
        if self.maker.jobs.by_number[number].status.is_active:
            await over.wait()

    def record(self, name: str) -> Json:
        return self.desk.record(name, self.desk.session(name).common)

    def approve(self, name: str, who: str = "Bo", tasks: int | None = None) -> None:
        version = self.desk.session(name).common.version
        self.do(commands.Decide(session=name, base=version, outcome=Outcome.APPROVED, tasks=tasks), who)

    def approve_all(self) -> None:
        for name in self.desk.state.sessions:
            self.approve(name)


def at_work(folder: Path, work: Callable[[Review], Awaitable[None]], options: MakingOptions | None = DEMO) -> None:
    """Open the review, let somebody work while its server runs, and close it."""

    async def served() -> None:
        review = Review(folder, options)
        with closing(review.desk):
            review.maker.worker.start()
            try:
                await work(review)
            finally:
                await review.maker.worker.close()

    asyncio.run(served())


def tasks_of(record: Json) -> list[str]:
    found: list[str] = record["english_tasks" if "english_tasks" in record else "tasks"]
    return found


def reworded(name: str, base: int, text: str = "另外, 谢谢 / and thanks.") -> commands.Edit:
    return commands.Edit(session=name, base=base, edits=(SetUtterance(task=0, text=text),))


def test_what_was_edited_meanwhile_is_not_overwritten(folder: Path) -> None:
    """It is edited between the order and the result; what was made waits beside it."""

    async def work(review: Review) -> None:
        review.approve_all()
        name = next(iter(review.desk.state.sessions))
        begun = asyncio.Event()
        review.maker.worker.listeners.append(lambda _job: begun.set())
        asked = asyncio.create_task(review.make(MakeLayer(layer=2)))
        await begun.wait()
        review.do(reworded(name, 0))
        job = (await asked).job
        await review.until(job.number)
        job = review.job(job.number)
        assert (job.taken, [one.session for one in job.left]) == (3, [name])
        assert len(tasks_of(review.record(name))) == 1
        copy = review.desk.session(name).common
        assert copy.open_proposals is not None
        with pytest.raises(Stale):
            review.do(commands.TakeProposal(session=name, base=0, proposal=0))
        with pytest.raises(Refused, match="no longer applies"):
            review.do(commands.TakeProposal(session=name, base=copy.version, proposal=0))
        view = proposals_view(review.desk, review.person("Ada"), name, "en")
        assert (view.is_stale, bool(view.proposals[0].why)) == (True, True)
        assert len(view.proposals[0].dialogue.tasks) == 2
        review.do(commands.Undo(session=name, base=copy.version))
        proposed = copy.open_proposals
        taken = review.do(commands.TakeProposal(session=name, base=copy.version, proposal=0), "Bo")
        assert isinstance(taken, Edited)
        assert (taken.origin, taken.who) == (EditOrigin.PROPOSAL, "Bo")
        assert len(tasks_of(review.record(name))) == 2
        with pytest.raises(Refused, match="no proposals"):
            review.do(commands.TakeProposal(session=name, base=taken.number, proposal=0), "Bo")
        review.do(commands.Undo(session=name, base=taken.number))
        assert copy.open_proposals == proposed
        review.do(commands.PutAwayProposals(session=name))
        assert copy.open_proposals is None

    at_work(folder, work)


def test_a_job_goes_on_after_a_restart_and_nothing_is_taken_twice(folder: Path) -> None:
    async def ask(review: Review) -> None:
        review.approve_all()
        await review.make(MakeLayer(layer=2))

    async def wait(review: Review) -> None:
        await review.until(1)
        job = review.job(1)
        assert (job.status, job.taken) == (JobStatus.DONE, 4)

    at_work(folder, ask)
    at_work(folder, wait)
    # as if the server had died before it could write that the job is done, but after the first two sessions
    file = folder.parent / "review" / "making" / "0001" / JOB
    file.write_bytes(file.read_bytes().replace(b'"status": "done"', b'"status": "taking"'))
    journal = folder.parent / "review" / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-2]))
    at_work(folder, wait)
    again = journal.read_bytes().splitlines(keepends=True)
    assert len(again) == len(lines)
    assert sum(b'"origin":"layer"' in line for line in again) == 4


@pytest.mark.usefixtures("counted")
def test_what_all_jobs_may_cost_together_is_limited_and_kept(folder: Path) -> None:
    async def little(review: Review) -> None:
        review.approve_all()
        job = await review.made(MakeLayer(layer=2, kinds=("single",)))
        assert (job.status, job.tokens >= 300) == (JobStatus.STOPPED, True)
        assert "300" in job.why
        with pytest.raises(Refused, match="budget"):
            await review.make(ContinueJob(job=job.number))
        assert making_view(review.maker, review.person("Ada"), "en").budget.is_spent

    async def more(review: Review) -> None:
        before = making_view(review.maker, review.person("Ada"), "en").budget
        assert (before.tokens >= 300, before.is_spent) == (True, False)
        await review.make(ContinueJob(job=1))
        await review.until(1)
        assert (review.job(1).status, review.job(1).taken) == (JobStatus.DONE, 4)
        assert making_view(review.maker, review.person("Ada"), "en").budget.tokens > before.tokens

    at_work(folder, little, limited(300))
    at_work(folder, more, limited(10_000_000))


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scripted agents whose replies count a hundred tokens."""
    ask = BuiltinModel.ask

    async def asked(self: BuiltinModel, request: Request) -> Reply:
        return replace(await ask(self, request), usage=Usage(60, 40))

    monkeypatch.setattr(BuiltinModel, "ask", asked)


def limited(tokens: int) -> MakingOptions:
    return replace(DEMO, asked=GenerateOptions(limits=Limits(max_tokens_total=tokens, concurrency=1)))


def test_a_folder_does_not_say_where_a_key_is_sent(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-mine")
    manifest = msgspec.json.decode((folder / "run.json").read_bytes())
    for one in manifest["models"].values():
        one |= {"name": "openai/gpt-5", "provider": "openai", "model": "gpt-5", "base_url": "http://evil.example/v1"}
    (folder / "run.json").write_bytes(msgspec.json.encode(manifest))
    review = Review(folder)
    with closing(review.desk):
        assert review.maker.models is None
        assert "http://evil.example/v1" in str(review.maker.no_models)

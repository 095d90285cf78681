"""What models make inside a review: layer by layer to a benchmark, proposals, limits, kills."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from contextlib import closing
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

import toolgauge
from toolgauge.annotation.graph import candidates_of
from toolgauge.benchmarks.data_files import files_for
from toolgauge.chat import Json, Reply, Request, Usage
from toolgauge.demo import LibraryAgents
from toolgauge.errors import StoreError
from toolgauge.generation.manifest import read_generation
from toolgauge.generation.options import GenerateOptions
from toolgauge.models.builtin.models import BuiltinModel
from toolgauge.review import commands
from toolgauge.review.desk import Desk
from toolgauge.review.edits import SetUtterance
from toolgauge.review.events import AnyEvent, Edited, EditOrigin, Outcome, PersonAdded
from toolgauge.review.export import prepared, write
from toolgauge.review.handlers import do
from toolgauge.review.making.commands import AnyMaking, ContinueJob, MakeLayer, StopJob, TakeJob
from toolgauge.review.making.jobs import JOB, JobStatus
from toolgauge.review.making.maker import Maker
from toolgauge.review.making.models import MakingOptions
from toolgauge.review.originals import open_originals
from toolgauge.review.refusals import Forbidden, Refused, Stale
from toolgauge.review.server.making import Made, MakingAnswers
from toolgauge.review.server.streams import Streams
from toolgauge.review.state import Person, SessionStatus
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


def test_layer_by_layer_to_a_benchmark(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "benchmark"

    async def work(review: Review) -> None:
        for layer in (2, 3):
            review.approve_all()
            before = {name: review.record(name) for name in review.desk.state.sessions}
            job = await review.made(MakeLayer(layer=layer))
            assert (job.status, job.taken, job.left, job.done) == (JobStatus.DONE, 4, [], 4), job
            for name, record in before.items():
                session = review.desk.session(name)
                assert tasks_of(review.record(name))[: layer - 1] == tasks_of(record)
                assert (session.common.tasks, session.common.approved) == (layer, layer - 1)
                assert session.status is SessionStatus.IN_WORK
                assert "Ada" not in session.hands
        review.approve_all()
        done = prepared(review.desk)
        write(done, out)
        assert (done.sessions, done.left_out, done.problems) == (4, 0, ())
        file = out / "sessions.jsonl"
        assert not files_for(file).check(file, review.desk.originals.language).problems

    original = (folder / "sessions.jsonl").read_bytes()
    at_work(folder, work)
    assert (folder / "sessions.jsonl").read_bytes() == original


def test_what_is_made_takes_over_the_settings_of_the_generation(tmp_path: Path) -> None:
    made, examples, scenarios = (tmp_path / name for name in ("made", "examples.jsonl", "scenarios.jsonl"))
    examples.write_bytes(files("toolgauge.generation.prompts").joinpath("patterns.en.jsonl").read_bytes())
    scenarios.write_text('{"id": "sailor", "persona": "a retired sailor"}\n')
    asked: dict[str, Any] = {"candidates": True, "attempts": 2, "vague": 0.5, "gates": ("path", "schema")}
    toolgauge.generate(
        "builtin/oracle", paths="single", examples=examples, scenarios=scenarios, out=made, **asked
    )  # fmt: skip
    before = read_generation(made)

    async def work(review: Review) -> None:
        assert review.maker.notes == []
        review.approve_all()
        job = await review.made(MakeLayer(layer=2, kinds=("single",)))
        assert (job.status, job.taken) == (JobStatus.DONE, 1), job
        folder = review.maker.jobs.folder(job.number) / "single"
        after = read_generation(folder)
        assert (after.setup, after.examples, after.scenarios) == (before.setup, before.examples, before.scenarios)
        assert "a retired sailor" in (folder / "trajectories.jsonl").read_text(), "the user is who it was"
        for words in (
            "--attempts 2",
            "--set dialogues.vague=0.5",
            "--candidates",
            "--checks path,schema",
            f"--examples {examples}",
        ):
            assert words in job.commands[0]
        (name,) = review.desk.state.sessions
        first, second = candidates_of(review.record(name)["origin"])
        assert len(second) > 1, "a reviewer may choose for the new task as well"
        assert tasks_of(review.record(name))[1] in second
        assert tasks_of(review.record(name))[0] in first

    at_work(made, work)
    examples.write_text("{}\n")
    review = Review(made)
    review.desk.close()
    (note,) = review.maker.notes
    assert str(examples) in str(note)


def test_kinds_are_dealt_out_evenly(folder: Path) -> None:
    async def work(review: Review) -> None:
        review.approve_all()
        await review.made(MakeLayer(layer=2))
        kinds = [
            one.kind
            for name in review.desk.state.sessions
            for one in [review.desk.read(name, review.desk.session(name).common).tasks[1].type]
        ]
        assert sorted(kinds) == ["chat", "clarify", "multi", "single"]

    at_work(folder, work)


def test_only_what_was_approved_goes_on_and_only_the_lead_asks(folder: Path) -> None:
    async def work(review: Review) -> None:
        first, second, third, _fourth = review.desk.state.sessions
        with pytest.raises(Forbidden):
            await review.make(MakeLayer(layer=2), "Bo")
        with pytest.raises(Refused, match="approve the tasks before"):
            await review.make(MakeLayer(layer=2))
        with pytest.raises(Refused, match="is no task type"):
            await review.make(MakeLayer(layer=2, kinds=("song",)))
        review.approve(first)
        review.approve(second)
        review.do(reworded(second, 0))
        review.do(commands.Decide(session=third, base=0, outcome=Outcome.REJECTED))
        job = await review.made(MakeLayer(layer=2, kinds=("chat",), key="k"))
        assert (job.sessions, job.taken) == (1, 1)
        assert (await review.make(MakeLayer(layer=2, kinds=("chat",), key="k"))).job == job
        assert [len(tasks_of(review.record(name))) for name in review.desk.state.sessions] == [2, 1, 1, 1]
        # behind approved tasks what was not approved is replaced only if that is asked for
        with pytest.raises(Refused):
            await review.make(MakeLayer(layer=2))
        before = review.record(first)
        job = await review.made(MakeLayer(layer=2, kinds=("single",), longer=True))
        assert (job.taken, tasks_of(review.record(first))[0]) == (1, tasks_of(before)[0])
        assert tasks_of(review.record(first))[1] != tasks_of(before)[1]
        review.do(commands.Undo(session=first, base=review.desk.session(first).common.version))
        assert review.record(first) == before

    at_work(folder, work)


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
        with pytest.raises(Refused, match="does not fit"):
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


def test_without_a_model_the_commands_can_be_run_by_hand(folder: Path, tmp_path: Path) -> None:
    (folder / "run.json").unlink()

    async def ask(review: Review) -> None:
        assert "-m" in making_view(review.maker, review.person("Ada"), "en").no_models
        review.approve_all()
        job = (await review.make(MakeLayer(layer=2, kinds=("chat",)))).job
        assert (job.status, "--resume-from" in job.commands[0]) == (JobStatus.PREPARED, True)
        with pytest.raises(Refused, match="nothing was made"):
            await review.make(TakeJob(job=job.number))
        with pytest.raises(Refused, match="model"):
            await review.make(ContinueJob(job=job.number))
        made = review.maker.jobs.folder(job.number)
        language = review.desk.originals.language
        toolgauge.generate(
            "builtin/oracle",
            resume_from=made / "chat.jsonl",
            layer=2,
            paths="chat",
            out=made / "chat",
            language=language,
        )
        job = (await review.make(TakeJob(job=job.number))).job
        assert (job.status, job.taken) == (JobStatus.DONE, 4)

    at_work(folder, ask, MakingOptions())


def test_a_job_given_up_frees_its_sessions(folder: Path) -> None:
    async def work(review: Review) -> None:
        review.approve_all()
        job = (await review.make(MakeLayer(layer=2))).job
        with pytest.raises(Refused):
            await review.make(MakeLayer(layer=2))
        await review.make(StopJob(job=job.number))
        await review.make(StopJob(job=job.number))
        assert review.job(job.number).status is JobStatus.GIVEN_UP
        assert (await review.made(MakeLayer(layer=2))).taken == 4

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


def test_a_damaged_job_is_told_of(folder: Path) -> None:
    with closing(Review(folder).desk):
        pass
    broken = folder.parent / "review" / "making" / "0001"
    broken.mkdir(parents=True)
    (broken / JOB).write_text("{")
    with pytest.raises(StoreError, match="move its folder away"):
        Review(folder)

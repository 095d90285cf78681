"""Works jobs off, one at a time, the oldest first; one that was under way when a server was killed goes on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from msgspec.structs import replace

from toolgauge.errors import ToolgaugeError
from toolgauge.generation.spec import GenerationResult
from toolgauge.locale import Text, _, plain
from toolgauge.review.desk import Desk
from toolgauge.review.making.jobs import Job, Jobs, JobStatus, said, together
from toolgauge.review.making.models import MakingOptions, ReviewModels
from toolgauge.review.making.running import JobProgress, Running
from toolgauge.review.making.taking import take_result
from toolgauge.runs.budget import Spent
from toolgauge.runs.executors.executor import RunOutcome

_LOG = logging.getLogger(__name__)


class Worker:
    """listeners: are told of every job that changed. models: None where there are none; jobs wait then."""

    def __init__(self, desk: Desk, jobs: Jobs, options: MakingOptions, models: ReviewModels | None) -> None:
        self.desk, self.jobs, self.options, self.models = desk, jobs, options, models
        self.listeners: list[Callable[[Job], None]] = []
        self._news = asyncio.Event()
        self._running: tuple[int, Running] | None = None
        self._is_closing = False
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._work_off())

    async def close(self) -> None:
        """Let the models go; a job under way goes on when the review is opened again."""
        self._is_closing = True
        self._news.set()
        if self._running is not None:
            self._running[1].stop()
        if self._task is not None:
            await self._task

    def wake(self) -> None:
        """There is something to do."""
        self._news.set()

    def stop(self, job: Job, why: Text) -> Job:
        """Ask nothing more for a job; one that is not under way is given up."""
        if job.status in (JobStatus.DONE, JobStatus.GIVEN_UP):
            return job
        if not job.status.is_active:
            return self.change(job.number, status=JobStatus.GIVEN_UP, why=said(why))
        if self._running is not None and self._running[0] == job.number:
            self._running[1].stop()
        return self.change(job.number, status=JobStatus.STOPPED, why=said(why))

    def change(self, number: int, **fields: object) -> Job:
        """Change fields of a job, on the disk first, then everybody is told."""
        return self.keep(replace(self.jobs.by_number[number], **fields))

    def keep(self, job: Job) -> Job:
        self.jobs.keep(job)
        for listener in self.listeners:
            listener(job)
        return job

    async def take(self, number: int) -> Job:
        """Take what a job has made so far."""
        job = self.jobs.by_number[number]
        result = await take_result(self.desk, job, self.jobs.folder(number))
        left = {name: said(why) for name, why in result.left.items()}
        is_whole = job.status is not JobStatus.STOPPED
        status = JobStatus.DONE if is_whole or not result.left else job.status
        return self.change(number, status=status, taken=result.taken, left=left)

    async def _work_off(self) -> None:
        while not self._is_closing:
            waiting = [number for number, one in self.jobs.by_number.items() if one.status.is_active]
            if not waiting or self.models is None:
                self._news.clear()
                await self._news.wait()
                continue
            number = min(waiting)
            try:
                await self._work(number, self.models)
            except ToolgaugeError as error:
                self._fail(number, plain(error.text))
            except OSError as error:
                self._fail(number, plain(error))
            except Exception as error:  # a defect of ours fails the job, not the review
                _LOG.exception("job %s failed", number)
                self._fail(number, plain(repr(error)))

    def _fail(self, number: int, why: Text) -> None:
        try:
            self.change(number, status=JobStatus.FAILED, why=said(why))
        except ToolgaugeError:
            _LOG.exception("cannot write the state of job %s", number)
            self._is_closing = True  # nothing can be written any more: the jobs go on when the review is opened again

    async def _work(self, number: int, models: ReviewModels) -> None:
        job = self.change(number, status=JobStatus.RUNNING)
        for position in range(len(job.commands)):
            result = await self._make(number, position, models)
            if self._is_closing or self.jobs.by_number[number].status is JobStatus.STOPPED:
                return
            if (why := _ended_early(result.outcome)) is not None:
                self.change(number, status=JobStatus.STOPPED, why=said(why))
                return
        self.change(number, status=JobStatus.TAKING)
        await self.take(number)

    async def _make(self, number: int, position: int, models: ReviewModels) -> GenerationResult:
        """Carry out one command of a job."""
        loop, job = asyncio.get_running_loop(), self.jobs.by_number[number]

        def tell(progress: JobProgress) -> None:
            loop.call_soon_threadsafe(self._progressed, number, position, progress)

        running = Running(job.commands[position], tell)
        self._running = (number, running)
        folder, language = self.jobs.folder(number), self.desk.originals.language
        elsewhere = self._spent_elsewhere(number, position)
        try:
            result = await asyncio.to_thread(running.carry_out, folder, language, self.options, models, elsewhere)
        finally:
            self._running = None
        self._progressed(number, position, JobProgress(running.done, running.total, Spent(result.tokens, result.cost)))
        return result

    def _progressed(self, number: int, position: int, progress: JobProgress) -> None:
        commands = list(self.jobs.by_number[number].commands)
        commands[position] = replace(commands[position], done=progress.done, spent=progress.spent)
        self.change(number, commands=tuple(commands))

    def _spent_elsewhere(self, number: int, position: int) -> Spent:
        """What everything but one command has spent."""
        return together(
            command.spent
            for job in self.jobs.by_number.values()
            for at, command in enumerate(job.commands)
            if (job.number, at) != (number, position)
        )


def _ended_early(outcome: RunOutcome) -> Text | None:
    """Why a command did not make all of its dialogues."""
    if outcome.stopped:
        return plain(outcome.stopped)
    if outcome.missing:
        why = outcome.trouble or outcome.overflow or ""
        return _("unfinished dialogues: {count:,}; {why}", count=outcome.missing, why=why)
    return None

"""What people ask of a review's models: is it allowed, does it fit, what becomes of it.

Lives in the loop of the server, which alone uses the desk; only the models are asked in a thread (working.py).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from msgspec.structs import replace

from toolgauge.data.session import KINDS
from toolgauge.errors import ToolgaugeError
from toolgauge.generation.spec import DEMO
from toolgauge.locale import Text, _, plain
from toolgauge.review.desk import Desk
from toolgauge.review.handlers.team import require_lead
from toolgauge.review.making import commands, layers, preparing
from toolgauge.review.making.jobs import Command, Job, Jobs, JobStatus
from toolgauge.review.making.models import MakingOptions, ReviewModels, is_spent, review_models, settings_of
from toolgauge.review.making.working import Worker
from toolgauge.review.refusals import Refused


class Maker:
    """models: None where there are none; no_models: why then. settings: of the generation under review; notes: what of
    them could not be taken over."""

    def __init__(
        self, desk: Desk, options: MakingOptions | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        """Raises StoreError where a job of an earlier server cannot be read."""
        self.desk, self.options = desk, options or MakingOptions()
        self.jobs = Jobs(desk.folder)
        self.models: ReviewModels | None = None
        self.no_models: Text | None = None
        self.settings, self.notes = settings_of(desk.originals.file.parent)
        try:
            self.models = review_models(self.options, desk.originals.file.parent)
        except ToolgaugeError as error:
            self.no_models = plain(error.text)
        self.worker = Worker(desk, self.jobs, self.options, self.models)
        self._clock, self._lock = clock, asyncio.Lock()

    @property
    def shown_model(self) -> str:
        """What a command line names; "--demo" stands for scripted agents."""
        names = sorted(set(self.models.names.values())) if self.models else []
        if names == [DEMO]:
            return "--demo"
        return names[0] if len(names) == 1 else "MODEL"

    @property
    def is_spent(self) -> bool:
        return is_spent(self.options.asked, self.jobs.spent)

    @property
    def busy(self) -> frozenset[str]:
        """Sessions whose next task is made by a job that is not over."""
        over = (JobStatus.DONE, JobStatus.FAILED, JobStatus.GIVEN_UP)
        going = (one for one in self.jobs.by_number.values() if one.status not in over)
        return frozenset(name for one in going for name in one.sessions)

    async def make_layer(self, who: str, asked: commands.MakeLayer) -> Job:
        """Raises Forbidden, Refused."""
        require_lead(self.desk, who)
        if unknown := sorted(set(asked.kinds) - set(KINDS)):
            raise Refused(_("unknown task type {kind}; choose from {kinds}", kind=unknown[0], kinds=KINDS))
        async with self._lock:
            if (job := self._known(asked.key)) is not None:
                return job
            self._require_budget()
            chosen = layers.chosen_sessions(self.desk.state, asked.layer, asked.longer, self.busy)
            if not chosen:
                raise Refused(
                    _("no session is ready for task {number}: approve the tasks before it", number=asked.layer)
                )
            dealt = await preparing.deal(self.desk, chosen, asked)
            return await self._begin(who, asked.key, layers.commands_of(asked.layer, dealt))

    async def stop(self, who: str, asked: commands.StopJob) -> Job:
        """Ask nothing more; one that is not under way is given up, and its sessions are free for another one."""
        job = self._own(who, asked.job)
        return self.worker.stop(job, _("stopped by {name}", name=who))

    async def go_on(self, who: str, asked: commands.ContinueJob) -> Job:
        """Raises Forbidden, Refused."""
        job = self._own(who, asked.job)
        if self.no_models is not None:
            raise Refused(self.no_models)
        self._require_budget()
        if job.status.is_active or job.status is JobStatus.DONE:
            return job
        job = self.worker.change(job.number, status=JobStatus.QUEUED, why={})
        self.worker.wake()
        return job

    async def take(self, who: str, asked: commands.TakeJob) -> Job:
        """Raises Forbidden, Refused, DataError."""
        job = self._own(who, asked.job)
        if job.status.is_active:
            raise Refused(_("the job is not finished yet"))
        return await self.worker.take(job.number)

    def _known(self, key: str) -> Job | None:
        """A command that was sent twice makes one job."""
        return next((one for one in self.jobs.by_number.values() if key and one.key == key), None)

    def _own(self, who: str, number: int) -> Job:
        """A job that somebody may change: their own; the lead, any."""
        job = self.jobs.by_number.get(number)
        if job is None:
            raise Refused(_("job {number} not found", number=number))
        if job.who != who:
            require_lead(self.desk, who)
        return job

    def _require_budget(self) -> None:
        if self.is_spent:
            raise Refused(
                _("the budget is spent; raise --max-cost or limits.max_tokens_total, then restart the review")
            )

    async def _begin(self, who: str, key: str, made: tuple[Command, ...]) -> Job:
        """Write what a job needs, and queue it; without a model its commands wait for somebody to run them."""
        made = tuple(replace(one, settings=self.settings) for one in made)
        number = self.jobs.new_number()
        await preparing.write_inputs(self.desk, self.jobs.folder(number), made)
        status = JobStatus.PREPARED if self.models is None else JobStatus.QUEUED
        at = self._clock()
        job = Job(number=number, status=status, who=who, at=at, commands=made, key=key)
        self.worker.keep(job)
        self.worker.wake()
        return job

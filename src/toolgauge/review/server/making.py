"""The addresses of the models' work and what they answer.

GET /api/making              models, budget, layers, jobs
GET /api/proposals?id=...    other ways on, of a session
POST /api/make               a command (making/commands.py)
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from toolgauge.review.making import commands
from toolgauge.review.making.jobs import Job
from toolgauge.review.making.maker import Maker
from toolgauge.review.server.streams import Streams
from toolgauge.review.state import Person
from toolgauge.review.views.making import JobView, job_view, making_view, proposals_view


class Made(Struct):
    """The answer to a command: the job that it led to."""

    job: JobView


class JobNews(Struct):
    """What is told of a job as it goes; the rest is asked for where it is needed."""

    number: int
    status: str
    done: int
    total: int


class MakingAnswers:
    """What is answered; `paths` are asked with GET."""

    paths = ("/api/making", "/api/proposals")

    def __init__(self, maker: Maker, streams: Streams) -> None:
        self.maker, self._streams = maker, streams
        maker.worker.listeners.append(self._tell)

    def answer(self, path: str, person: Person, asked: Mapping[str, str], language: str) -> object:
        """language: of the interface. Raises ToolgaugeError."""
        if path == "/api/making":
            return making_view(self.maker, person, language)
        return proposals_view(self.maker.desk, person, asked.get("id", ""), language)

    async def do(self, person: Person, command: commands.AnyMaking, language: str) -> Made:
        """Raises Forbidden, Refused, Stale, StoreError."""
        maker, who = self.maker, person.name
        match command:
            case commands.MakeLayer():
                job = await maker.make_layer(who, command)
            case commands.StopJob():
                job = await maker.stop(who, command)
            case commands.ContinueJob():
                job = await maker.go_on(who, command)
            case commands.TakeJob():
                job = await maker.take(who, command)
        return Made(job_view(maker, person, job, language))

    def _tell(self, job: Job) -> None:
        self._streams.tell_of("job", JobNews(job.number, job.status.value, job.done, job.total))

"""The addresses of the models' work and what they answer.

GET /api/making              models, budget, layers, jobs      GET /api/rejected            rejected dialogues
GET /api/proposals?id=...    other ways on, of a session       GET /api/rejected?id=...     one of them, to be read
POST /api/make               a command (making/commands.py)
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from msgspec import Struct

from toolgauge.errors import DataError
from toolgauge.locale import _
from toolgauge.review.events import AnyEvent, SessionAdded
from toolgauge.review.making import commands
from toolgauge.review.making.jobs import Job
from toolgauge.review.making.maker import Maker
from toolgauge.review.making.rescuing import RejectedDialogues
from toolgauge.review.refusals import Refused
from toolgauge.review.server.streams import Streams
from toolgauge.review.state import Person
from toolgauge.review.views.making import (
    DialogueView,
    JobView,
    RejectedView,
    dialogue_view,
    job_view,
    making_view,
    proposals_view,
    rejected_view,
)


class Made(Struct, omit_defaults=True):
    """The answer to a command: the job that it led to, or what happened."""

    job: JobView | None = None
    event: AnyEvent | None = None


class JobNews(Struct):
    """What is told of a job as it goes; the rest is asked for where it is needed."""

    number: int
    status: str
    done: int
    total: int
    session: str | None


class MakingAnswers:
    """What is answered; `paths` are asked with GET."""

    paths = ("/api/making", "/api/proposals", "/api/rejected")

    def __init__(self, maker: Maker, streams: Streams) -> None:
        self.maker, self._streams = maker, streams
        self._rejected = RejectedDialogues(maker.desk.originals.file.parent)
        maker.worker.listeners.append(self._tell)

    async def answer(self, path: str, person: Person, asked: Mapping[str, str], language: str) -> object:
        """language: of the interface. Raises ToolgaugeError."""
        desk, name = self.maker.desk, asked.get("id", "")
        if path == "/api/making":
            return making_view(self.maker, person, self._rejected.is_generation, language)
        if path == "/api/proposals":
            return proposals_view(desk, person, name, language)
        return await self._rejected_dialogue(name, language) if name else await self._rejected_list(language)

    async def do(self, person: Person, command: commands.AnyMaking, language: str) -> Made:
        """Raises Forbidden, Refused, Stale, StoreError."""
        maker, who = self.maker, person.name
        match command:
            case commands.Rescue():
                return Made(event=await self._rescue(who, command))
            case commands.MakeLayer():
                job = await maker.make_layer(who, command)
            case commands.Regenerate():
                job = await maker.regenerate(who, command)
            case commands.StopJob():
                job = await maker.stop(who, command)
            case commands.ContinueJob():
                job = await maker.go_on(who, command)
            case commands.TakeJob():
                job = await maker.take(who, command)
        return Made(job_view(maker, person, job, language))

    async def _rescue(self, who: str, command: commands.Rescue) -> AnyEvent:
        desk = self.maker.desk
        record = await self._rejected.record(command.dialogue, command.tasks, command.force)
        if command.key and (number := desk.state.keys.get(command.key)):
            return desk.state.events[number - 1]
        if str(record["id"]) in desk.state.sessions:
            raise Refused(_("{session} is in the review already", session=record["id"]))
        return desk.happen(SessionAdded(record=record, who=who, key=command.key))

    async def _rejected_list(self, language: str) -> list[RejectedView]:
        known = self.maker.desk.state.sessions
        return [rejected_view(one, one.id in known, language) for one in await self._rejected.all()]

    async def _rejected_dialogue(self, name: str, language: str) -> DialogueView:
        record = await self._rejected.whole(name)
        try:
            return await asyncio.to_thread(dialogue_view, record, self.maker.desk.originals.language, language)
        except DataError as error:
            raise Refused(error.message) from error

    def _tell(self, job: Job) -> None:
        sessions = list(job.sessions)
        session = sessions[0] if len(sessions) == 1 else None
        news = JobNews(job.number, job.status.value, job.done, job.total, session)
        self._streams.tell_of("job", news, lambda who: self.maker.sees(who, job))

"""Episodes played without a model: along the annotated course, or with replies that were given elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from toolgauge.chat import Reply, Request
from toolgauge.episode import ASSISTANT, Episode, Trajectory, drive
from toolgauge.models.builtin.models import oracle


class NotEnough(Exception):
    """The replies ran out before the episode did."""


def annotated_course(episode: Episode) -> list[tuple[Request, Reply]]:
    """The measured model's requests with the annotated answers, in the fewest steps."""
    course: list[tuple[Request, Reply]] = []

    def answer(request: Request) -> Reply:
        reply = oracle(request)
        if request.role == ASSISTANT:
            course.append((request, reply))
        return reply

    drive(episode, answer)
    return course


def play(episode: Episode, said: Sequence[Reply]) -> Trajectory:
    """The trajectory of these replies, other roles by their script; raises NotEnough."""
    coming = iter(said)

    def answer(request: Request) -> Reply:
        if request.role != ASSISTANT:
            return oracle(request)
        reply = next(coming, None)
        if reply is None:
            raise NotEnough
        return reply

    return drive(episode, answer)

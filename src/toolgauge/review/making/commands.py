"""What people ask of a review's models: the commands of POST /api/make, which lead to a job."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from toolgauge.review.commands import Command
from toolgauge.review.events import Count


class MakeLayer(Command, frozen=True, kw_only=True):
    """Make one more task for every session of which the first `layer` - 1 tasks are approved.

    kinds: of the new tasks, dealt out so that the paths come out even. longer: also for sessions that have tasks behind
    the approved ones; these are replaced.
    """

    layer: Annotated[int, Meta(ge=2, le=1000)]
    kinds: tuple[str, ...] = ()
    longer: bool = False


class StopJob(Command, frozen=True, kw_only=True):
    """Ask nothing more of the models for a job."""

    job: Count


class ContinueJob(Command, frozen=True, kw_only=True):
    """Go on with a job that stopped, failed, or was prepared when there was no model."""

    job: Count


class TakeJob(Command, frozen=True, kw_only=True):
    """Take into the review what a job has made so far, by itself or by its commands run by hand."""

    job: Count


AnyMaking = MakeLayer | StopJob | ContinueJob | TakeJob

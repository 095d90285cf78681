"""The models' work as people see it: what can be made, the jobs, proposals beside a session."""

from __future__ import annotations

import shlex
from pathlib import Path

from msgspec import Struct

from toolgauge.chat import Json
from toolgauge.data.session import KINDS
from toolgauge.data.sessions import session_from
from toolgauge.locale import Text
from toolgauge.review import changes
from toolgauge.review.desk import Desk
from toolgauge.review.differences import Difference, differences
from toolgauge.review.making.jobs import Job, JobStatus, said
from toolgauge.review.making.layers import LayerReady, layers_ready
from toolgauge.review.making.maker import Maker
from toolgauge.review.making.proposals import proposed_record, record_at
from toolgauge.review.making.running import command_line
from toolgauge.review.refusals import Refused
from toolgauge.review.state import Copy, Person
from toolgauge.review.views.session import TaskView, task_view
from toolgauge.review.warnings import Warned, warnings

MOST_JOBS = 30
"""That are shown, the latest."""
MOST_LEFT = 100
"""Sessions of a job without a result that are named."""


class LeftView(Struct, frozen=True):
    session: str
    why: str


class JobView(Struct, frozen=True):
    """layer: the number of the task that is made; sessions: for how many. commands: the command lines that do the same;
    mine: may its reader stop it, or go on with it?"""

    number: int
    status: JobStatus
    who: str
    at: float
    layer: int
    sessions: int
    done: int
    total: int
    taken: int
    left: list[LeftView]
    why: str
    tokens: int
    cost: float | None
    commands: list[str]
    mine: bool


class BudgetView(Struct, frozen=True):
    """Of all jobs together; the limits are None where there are none, the dollars where a price is not known."""

    tokens: int
    cost: float | None
    max_tokens: int | None
    max_cost: float | None
    is_spent: bool


class MakingView(Struct, frozen=True):
    """models: names, by role; no_models: why there are none. layers: that can be made."""

    models: dict[str, str]
    no_models: str
    budget: BudgetView
    layers: list[LayerReady]
    kinds: tuple[str, ...]
    jobs: list[JobView]
    is_lead: bool


def making_view(maker: Maker, person: Person, language: str) -> MakingView:
    """language: of the interface."""
    latest = sorted(maker.jobs.by_number.values(), key=lambda one: -one.number)[:MOST_JOBS]
    return MakingView(
        maker.models.names if maker.models else {},
        words(maker.no_models, language),
        budget_view(maker),
        layers_ready(maker.desk.state, maker.busy),
        KINDS,
        [job_view(maker, person, one, language) for one in latest],
        person.is_lead,
    )


def budget_view(maker: Maker) -> BudgetView:
    spent, asked = maker.jobs.spent, maker.options.asked.limits
    return BudgetView(spent.tokens, spent.cost, asked.max_tokens_total, asked.max_cost, maker.is_spent)


def job_view(maker: Maker, person: Person, job: Job, language: str) -> JobView:
    spent = job.spent
    folder, spoken = _shown(maker.jobs.folder(job.number)), maker.desk.originals.language
    lines = [shlex.join(command_line(folder, one, spoken, maker.shown_model)) for one in job.commands]
    return JobView(
        job.number,
        job.status,
        job.who,
        job.at,
        job.layer,
        len(job.sessions),
        job.done,
        job.total,
        job.taken,
        [LeftView(name, why.get(language, "")) for name, why in list(job.left.items())[:MOST_LEFT]],
        job.why.get(language, ""),
        spent.tokens,
        spent.cost,
        lines if person.is_lead else [],
        person.is_lead or job.who == person.name,
    )


def _shown(folder: Path) -> Path:
    """As short as it can be said where the server was started."""
    try:
        return folder.resolve().relative_to(Path.cwd())
    except ValueError:
        return folder


def words(text: Text | None, language: str) -> str:
    """A message that is not kept, likewise."""
    return "" if text is None else said(text)[language]


class DialogueView(Struct, frozen=True):
    """A dialogue that is no session of the review, or not yet: to be read like one."""

    id: str
    language: str
    clock: str
    tools: list[Json]
    tasks: list[TaskView]
    warnings: list[Warned]


def dialogue_view(record: Json, language: str, interface: str) -> DialogueView:
    """language: of the data; interface: of the messages. Raises DataError."""
    session = session_from(record, language)
    return DialogueView(
        session.id,
        language,
        session.clock,
        [tool["function"] for tool in session.original_tools],
        [task_view(task, 0) for task in session.tasks],
        list(warnings(session, record, interface)),
    )


class ProposalView(Struct, frozen=True):
    """differences: of it from the session as it stands; why: it cannot
    be taken, for it does not fit what was edited since."""

    dialogue: DialogueView
    differences: list[Difference]
    why: str = ""


class ProposalsView(Struct, frozen=True):
    """version: of the copy as it stands; is_stale: it was edited since they were asked for."""

    version: int
    is_stale: bool
    proposals: list[ProposalView]


def proposals_view(desk: Desk, person: Person, name: str, interface: str) -> ProposalsView:
    """The proposals for a session as somebody sees it; none where none wait. Raises Refused, Forbidden."""
    copy = desk.copy_of(person.name, name)
    proposed = copy.open_proposals
    if proposed is None:
        return ProposalsView(copy.version, False, [])
    count, is_stale = len(proposed.proposals), proposed.base != copy.version
    return ProposalsView(copy.version, is_stale, [_proposal(desk, name, copy, at, interface) for at in range(count)])


def _proposal(desk: Desk, name: str, copy: Copy, number: int, interface: str) -> ProposalView:
    proposed, language = copy.open_proposals, desk.originals.language
    assert proposed is not None
    why = ""
    try:
        record = proposed_record(desk, name, copy, proposed, number)
    except Refused as error:
        why = words(error.message, interface)
        record = changes.changed(record_at(desk, name, copy, proposed.base), proposed.proposals[number])
    found = list(differences(desk.read(name, copy), session_from(record, language)))
    return ProposalView(dialogue_view(record, language, interface), found, why)

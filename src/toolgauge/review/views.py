"""What the pages of a review are made of, as data that is sent as JSON: the queue, a session, opinions, rounds, people.

Whatever its file calls the fields, a session has the same ones here. Nobody is told of blind work of others. What is
refused is raised: Refused, Forbidden, Stale.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from toolgauge.analysis.agreement import Agreement
from toolgauge.chat import Json
from toolgauge.data.session import Call, Task
from toolgauge.generation.checks import CHECKS
from toolgauge.generation.dialogue import Verdict
from toolgauge.generation.graph import EVIDENCE, PLAN, PURPOSE, THOUGHT
from toolgauge.locale import _, translated
from toolgauge.review import commands, figures, rounds
from toolgauge.review.desk import Desk
from toolgauge.review.differences import Difference, differences, places
from toolgauge.review.events import Commented, CommentResolved, Decided, Edited, Forbidden, Outcome, Refused, Settled
from toolgauge.review.export import Export
from toolgauge.review.handling import may_settle, readable, with_edits
from toolgauge.review.state import Copy, Person, SessionState, SessionStatus
from toolgauge.review.survey import Survey
from toolgauge.review.team import require_lead
from toolgauge.review.warnings import DATA, SHOWN, Warned, verdicts_in, warnings

_OF_COMMENT = ("number", "who", "at", "place", "text", "answers")
MOST_SHOWN = 120
"""Characters of a session's beginning that the queue shows."""


class QueueLine(Struct, omit_defaults=True):
    """A session in the queue. version: of the copy that the reader works on, None for a blind one of others; mine: is
    it assigned to the reader? is_open: may the reader decide about it, and has not? approved: so many of its tasks;
    last: the number of the last event about it. kinds: of its tasks; warnings: how many of each class, None while
    nobody looked; at: when something happened last, in seconds since the epoch; begins: the first words of the user."""

    id: str
    status: SessionStatus
    tasks: int
    approved: int
    version: int | None
    is_edited: bool
    comments: int
    reviewers: tuple[str, ...]
    is_blind: bool
    mine: bool
    is_open: bool
    last: int
    kinds: tuple[str, ...] = ()
    warnings: dict[str, int] | None = None
    at: float = 0.0
    begins: str = ""


def queue_view(
    desk: Desk, person: Person, survey: Survey, language: str = "en", since: int = 0, found: int = 0
) -> dict[str, object]:
    """The queue as somebody sees it: of a session that two others review blind, nothing but its state. language: of the
    interface. since, found: the numbers of an earlier view; only lines that differ from it are told."""
    state, original = desk.state, desk.originals
    counts = dict.fromkeys(SessionStatus, 0)
    lines = []
    for session in state.sessions.values():
        status = session.status
        counts[status] += 1
        copy = session.copy_for(person.name)
        known = survey.of(session.id, copy)
        if not (since or found) or session.last > since or (known and known.number > found):
            seen = known.glance if known else None
            comments = [one for one in session.comments_for(person.name) if one.event.answers is None]
            line = QueueLine(
                id=session.id,
                status=status,
                tasks=(copy or session.common).tasks,
                approved=copy.approved if copy else 0,
                version=copy.version if copy else None,
                is_edited=bool(copy and copy.edits),
                comments=sum(not one.is_resolved for one in comments),
                reviewers=session.reviewers,
                is_blind=session.is_blind,
                mine=person.name in session.reviewers,
                is_open=copy is not None and copy.outcome is None,
                last=session.last,
                kinds=seen.kinds if seen else (),
                warnings=known.warnings if known else None,
                at=state.events[session.last - 1].at if session.last else 0.0,
                begins=seen.words[:MOST_SHOWN].partition("\n")[0] if seen else "",
            )
            lines.append(line)
    return {
        "number": state.number,  # of the last event that is told of
        "found": survey.number,  # of the last finding about warnings
        "you": person.name,
        "is_lead": person.is_lead,
        "language": original.language,
        "file": original.file.name,
        "people": list(state.active),
        "counts": counts,
        "total": len(state.sessions),
        "checked": survey.checked,
        "classes": {DATA: translated(_("the data check"), language)}
        | {name: CHECKS[name][language == "zh"] for name in SHOWN},
        "sessions": lines,
    }


def search(desk: Desk, person: Person, survey: Survey, words_wanted: str) -> list[str]:
    """The ids of the sessions that have every word in their id or in what the user says, as somebody sees them."""
    words = words_wanted.casefold().split()
    ids = []
    for session in desk.state.sessions.values():
        entry = survey.of(session.id, session.copy_for(person.name))
        text = f"{session.id}\n{entry.glance.words if entry else ''}".casefold()
        if all(word in text for word in words):
            ids.append(session.id)
    return ids


def session_view(desk: Desk, person: Person, name: str, found: Iterable[Warned], language: str = "en") -> Json:
    """A session as somebody sees it. found: its warnings; language: of the interface."""
    return _copy_view(desk, person, name, desk.copy_of(person.name, name), found, language)


def opinion_view(desk: Desk, person: Person, name: str, owner: str) -> Json:
    """The session as one of its reviewers has it, while their opinions differ."""
    session = _conflict(desk, person, name)
    if owner not in session.reviewers:
        raise Refused(_("{session} has no opinions to choose from", session=name))
    return _copy_view(desk, person, name, session.copies[owner], (), "en")


def _copy_view(desk: Desk, person: Person, name: str, copy: Copy, found: Iterable[Warned], language: str) -> Json:
    state, session = desk.session(name), desk.read(name, copy)
    verdicts = [*verdicts_in(session.extra.get("origin"))]
    verdicts += [None] * (len(session.tasks) - len(verdicts))
    decision = copy.decision
    return {
        "id": name,
        "you": person.name,
        "version": copy.version,  # to be sent with every command about it
        "status": state.status,
        "outcome": copy.outcome,
        "decision": decision
        and {
            "who": decision.who,
            "at": decision.at,
            "outcome": decision.outcome,
            "tasks": decision.tasks,
            "reason": decision.reason,
            "holds": copy.is_as_decided,
        },
        "approved": copy.approved,  # so many tasks, from the first, stand as they were approved
        "last": state.last,
        "language": session.language,
        "clock": session.clock,
        "tools": [tool["function"] for tool in session.original_tools],
        "schemas": {tool.name: tool.parameters for tool in session.tools},
        "tasks": [_task(*one, copy.approved) for one in zip(session.tasks, verdicts, strict=False)],
        "warnings": _told(found, language),
        "comments": [
            {field: getattr(one.event, field) for field in _OF_COMMENT} | {"is_resolved": one.is_resolved}
            for one in state.comments_for(person.name)
        ],
        "history": _history(state, copy),
        "reviewers": state.reviewers,
        "is_blind": state.is_blind,
        "inspection": _inspection(desk, person, state),
    }


def _told(found: Iterable[Warned], language: str) -> list[Json]:
    """Warnings in a language of the interface."""
    return [
        {"place": warned.place, "message": translated(warned.message, language), "source": warned.source}
        for warned in found
    ]


def _task(task: Task, verdict: Verdict | None, approved: int) -> Json:
    """A task. earlier: what was said before it and belongs to no task, (who, what) each; verdict: the judge's."""
    return {
        "index": task.index,
        "utterance": task.utterance,
        "type": task.type,
        "reference": task.reference,
        "calls": [_call(call) for call in task.calls],
        "approved": task.index < approved,
        "earlier": [(message.role, message.content or "") for message in task.dialogue[: task.opening]],
        "verdict": verdict,
    }


def _call(call: Call) -> Json:
    """A call. sources: by path of an argument, where its value comes from; evidence: for its dependencies; thoughts:
    what the planner said when it decided on the call."""
    evidence = call.extra.get(EVIDENCE)
    thoughts = {key: text for key in (THOUGHT, PLAN, PURPOSE) if isinstance(text := call.extra.get(key), str) and text}
    return {
        "index": call.index,
        "name": call.name,
        "arguments": call.arguments,
        "after": call.after,
        "result": call.observation,
        "answer": call.user_input,
        "sources": call.sources,
        "evidence": [entry for entry in evidence if isinstance(entry, dict)] if isinstance(evidence, list) else [],
        "thoughts": thoughts,
    }


def _history(state: SessionState, copy: Copy) -> list[Json]:
    """What happened to a copy, and before it was one's own. places: the parts that an edit changed; undoes: the number
    of the edit that was taken back; undone: by which event this one was."""
    own = {edit.number for edit in copy.edits}
    undone = {one.undoes: one.number for one in copy.edits if one.undoes is not None}
    lines = []
    for event in state.events:
        if isinstance(event, Commented | CommentResolved) or not (event.copy == copy.owner or event.number in own):
            continue
        line: Json = {"number": event.number, "at": event.at, "who": event.who, "event": type(event).__name__.lower()}
        if isinstance(event, Edited):
            line |= {"places": places(event.changes), "undoes": event.undoes}
        if isinstance(event, Decided | Settled):
            line |= {"outcome": event.outcome, "reason": event.reason, "tasks": event.tasks}
        lines.append(line | {"undone": undone.get(event.number)})
    return lines


def differences_view(desk: Desk, person: Person, name: str, since: int, until: int | None) -> list[Difference]:
    """Between a copy after event `since` (0: the original) and after event `until` (None: as it stands)."""
    copy = desk.copy_of(person.name, name)
    return list(differences(desk.read(name, copy, since), desk.read(name, copy, until)))


def check_view(desk: Desk, person: Person, command: commands.Edit, language: str) -> Json:
    """What edits would lead to; nothing is kept. is_new: the session as it stands has no such warning; solved: how many
    would be gone."""
    copy, changed = with_edits(desk, person.name, command)
    before = Counter(map(_same, warnings(desk.read(command.session, copy))))
    listed = []
    for warned in warnings(readable(desk, changed)):
        listed.append({"warned": _told([warned], language)[0], "is_new": not before[_same(warned)]})
        before[_same(warned)] -= before[_same(warned)] > 0
    return {"version": copy.version, "warnings": listed, "solved": before.total()}


def _same(warned: Warned) -> object:
    return warned.place, str(warned.message), warned.source


def opinions_view(
    desk: Desk, person: Person, agreement: list[figures.Opinions] | None = None, judge: Agreement | None = None
) -> Json:
    """Where opinions of a session are missing or differ, and how far people agree, with each other and with the judge;
    whoever does not lead is told of conflicts that they may settle."""
    waiting: list[Json] = []
    conflicts: list[Json] = []
    for session in desk.state.sessions.values():
        if session.is_blind:
            decided = [item.owner for item in session.opinions if item.outcome]
            may = may_settle(desk, person.name, session)
            line = {"session": session.id, "reviewers": session.reviewers, "decided": decided, "may_settle": may}
            is_conflict = session.status is SessionStatus.CONFLICT
            if person.is_lead or (is_conflict and may):
                (conflicts if is_conflict else waiting).append(line)
    return {
        "waiting": waiting,
        "conflicts": conflicts,
        "given": sum(len(item.all_given) for item in desk.state.sessions.values()),
        "agreement": agreement if person.is_lead else None,
        "judge": judge if person.is_lead else None,
    }


def conflict_view(desk: Desk, person: Person, name: str) -> Json:
    """Opinions side by side. differences: of each one but the first, from the first."""
    session = _conflict(desk, person, name)
    first, *others = (desk.read(name, copy) for copy in session.opinions)
    opinions = [
        {
            "who": copy.owner,
            "version": copy.version,
            "outcome": copy.outcome or Outcome.OPEN,
            "tasks": copy.approved,
            "edits": len(copy.edits),
            "reason": copy.decision.reason if copy.decision else "",
        }
        for copy in session.opinions
    ]
    return {"session": name, "opinions": opinions, "differences": [list(differences(first, other)) for other in others]}


def _conflict(desk: Desk, person: Person, name: str) -> SessionState:
    session = desk.session(name)
    if session.status is not SessionStatus.CONFLICT:
        raise Refused(_("{session} has no opinions to choose from", session=name))
    if not may_settle(desk, person.name, session):
        raise Forbidden(_("{session}: one of the opinions is yours; someone else must settle it", session=name))
    return session


def rounds_view(desk: Desk, person: Person) -> Json:
    """Inspection rounds: how they stand, what comes next, what the reader looks at, what is to be mended. undecided:
    sessions that are neither approved nor rejected; kinds: of errors that may be marked."""
    state = desk.state
    report = rounds.rounds_report(state)
    last = state.rounds[-1] if state.rounds else None
    left = rounds.left(state, last) if last else []
    marks = {
        name: (one.drawn.round, mark) for one in state.rounds for name, mark in one.inspected.items() if mark.faults
    }
    return {
        "is_lead": person.is_lead,
        "report": report,
        "next": rounds.next_step(state, report, state.active),
        "undecided": sum(not one.is_decided for one in state.sessions.values()),
        "mine": [name for name in left if last and last.inspectors[name] == person.name],
        "to_mend": [
            {
                "session": name,
                "round": marks[name][0],
                "inspector": marks[name][1].who,
                "faults": marks[name][1].faults,
                "reviewers": state.sessions[name].reviewers,
            }
            for name in rounds.to_mend(state)
        ],
        "kinds": rounds.fault_kinds(state),
    }


def _inspection(desk: Desk, person: Person, session: SessionState) -> Json | None:
    """How the last round that a session was in concerns who reads it; None where it does not. mine: does the reader
    inspect it? faults: what was found, as far as it is not mended."""
    found = [one for one in desk.state.rounds if session.id in one.inspectors]
    if not found or session.is_blind:
        return None
    mark = found[-1].inspected.get(session.id)
    is_last = found[-1] is desk.state.rounds[-1]
    mine = is_last and found[-1].inspectors[session.id] == person.name and rounds.may_inspect(session, person.name)
    faults = mark.faults if mark is not None and session.id in rounds.to_mend(desk.state) else ()
    if not mine and not faults:
        return None
    told = {"round": found[-1].drawn.round, "mine": mine, "is_done": mark is not None, "faults": faults}
    return told | {"kinds": rounds.fault_kinds(desk.state)}


def team_view(desk: Desk, person: Person) -> Json:
    """Who takes part, and what each has to do; for who leads. open: sessions to decide about; decided: of those
    assigned; to_inspect: in the round under way; last: when they did something. free: new sessions that nobody has."""
    require_lead(desk, person.name)
    state = desk.state
    assigned = Counter(name for one in state.sessions.values() for name in one.reviewers)
    open_ones = Counter(name for one in state.sessions.values() for name in one.reviewers if one.is_open_to(name))
    under_way = state.rounds[-1] if state.rounds else None
    looking = Counter(under_way.inspectors[name] for name in rounds.left(state, under_way)) if under_way else Counter()
    last = {event.who: event.at for event in state.events if event.who}
    people = [
        {
            "name": one.name,
            "is_lead": one.is_lead,
            "is_active": one.is_active,
            "open": open_ones[one.name],
            "decided": assigned[one.name] - open_ones[one.name],
            "to_inspect": looking[one.name],
            "last": last.get(one.name),
        }
        for one in state.people.values()
    ]
    free = sum(not one.reviewers and one.status is SessionStatus.NEW for one in state.sessions.values())
    return {"you": person.name, "people": people, "free": free, "sessions": len(state.sessions)}


def progress_view(desk: Desk, person: Person) -> Json:
    """How far the review is; who does not lead sees of people only themselves."""
    told = figures.progress(desk.state)
    own = {name: work for name, work in told["people"].items() if name == person.name}
    return told if person.is_lead else told | {"people": own}


def export_view(made: Export, language: str) -> Json:
    """What would leave; while there are problems, nothing does. session: where, None of what is no session's."""
    problems = [{"session": one.session, "message": translated(one.message, language)} for one in made.problems]
    return {"sessions": made.sessions, "left_out": made.left_out, "problems": problems}

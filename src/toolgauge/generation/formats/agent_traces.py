"""captures.jsonl: what each agent was told and what it replied, for training agents of one's own.

Kept are all calls of users and assistants, the planner's and the tools' that were accepted, and the checker's; not the
replies that could not be read or were taken back, and not the requests of filters. An answer is what went into the
dialogue, without what the model wrote around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct

from toolgauge.annotation.dialogue import Dialogue, Speaker
from toolgauge.chat import Message
from toolgauge.episode import Step, Trajectory
from toolgauge.generation.agents.announcements import announcements
from toolgauge.generation.agents.planner import whole_text
from toolgauge.generation.agents.reading import Unreadable, json_found, text_of
from toolgauge.generation.agents.speech import said_by
from toolgauge.generation.agents.tool import read_tools
from toolgauge.generation.agents.user import LATER, listed_tasks, read_candidates
from toolgauge.generation.attempts import thrown_away
from toolgauge.generation.filters.multi_turn import AGENT as ABLATION
from toolgauge.generation.formats.raw import env_info
from toolgauge.generation.kept_attempts import KeptAttempt, kept_attempts
from toolgauge.generation.prompts import texts
from toolgauge.generation.pseudo import pseudo_tools

LATER_USERS = ("user_answer_ask", "user_vague_answer_ask", "user_continue_question")
"""Users who know the dialogue; all others open it and are told neither the time nor what was said."""
_CHECKED = {"planner": Speaker.PLANNER, "tool": Speaker.TOOL}


class TracedStep(Struct, frozen=True):
    """A step with the whole of its request."""

    step: Step
    messages: tuple[Message, ...]


def captures(trajectory: Trajectory, dialogue: Dialogue, attempt: int = -1) -> Iterator[dict[str, object]]:
    """The lines of one dialogue in captures.jsonl, in the order in which agents were asked.

    attempt: the number of the attempt that made it, the last one if not said.
    """
    own = tuple(kept_attempts(trajectory))[attempt]
    asked = [one for one in _of_dialogue(trajectory, own) if one.step.task_index < len(dialogue.tasks)]
    accepted = {role: _accepted(dialogue, speaker) for role, speaker in _CHECKED.items()}
    for this, following in pairwise([*asked, None]):
        assert this is not None, "only the end is none"
        if following is not None and _is_again(this, following):
            continue
        if this.step.role in accepted and not next(accepted[this.step.role], False):
            continue
        yield _capture(this, dialogue)


def requests(trajectory: Trajectory) -> list[TracedStep]:
    """All steps with their requests: a step has only the messages that differ from the role's request before."""
    before: dict[str, tuple[Message, ...]] = {}
    asked = []
    for step in trajectory.steps:
        earlier = before.get(step.role, ())
        messages = earlier[: step.kept] + step.messages
        before[step.role] = messages
        asked.append(TracedStep(step, messages))
    return asked


def _of_dialogue(trajectory: Trajectory, own: KeptAttempt) -> list[TracedStep]:
    """The steps of an attempt that led to its dialogue: not what repairs threw away, nor what filters asked."""
    gone, last = thrown_away(own.attempt.repairs), own.first + len(own.steps)
    numbered = list(enumerate(requests(trajectory)))[own.first : last]
    return [one for number, one in numbered if number not in gone and one.step.agent != ABLATION]


def _accepted(dialogue: Dialogue, speaker: Speaker) -> Iterator[bool]:
    """Of each try of the planner or the tools that was made here, whether it stood."""
    made = [entry for entry in dialogue.entries if entry.speaker is speaker and entry.task >= dialogue.earlier]
    return iter([entry.accepted for entry in made])


def _is_again(this: TracedStep, following: TracedStep) -> bool:
    """Was the same asked once more, because the reply could not be read? Then the reason stands at its end."""
    if (this.step.role, this.step.agent) != (following.step.role, following.step.agent):
        return False
    (*before, last), (*again, demand) = this.messages, following.messages
    return before == again and (demand.content or "").startswith(last.content or "")


def _capture(asked: TracedStep, dialogue: Dialogue) -> dict[str, object]:
    step = asked.step
    pseudo = pseudo_tools(dialogue.language) if step.role == "planner" else ()
    return {
        "id": dialogue.id,
        "task": step.agent,
        "tools": [tool.wire() for tool in (*dialogue.tools, *pseudo)],
        "env_info": None if opens_dialogue(step) else env_info(dialogue),
        "messages": [message.wire() for message in asked.messages],
        "answer": _answer(step, dialogue.language),
    }


def _answer(step: Step, language: str) -> str:
    """What was read in a reply, behind the speaker's name; the reply as it came where it holds nothing else."""
    content = step.reply.content or ""
    speaker = Speaker.PLANNER_CHECKER if step.role == "checker" else Speaker(step.role)
    name = texts("speakers", language)[speaker]
    try:
        text = _read(step, speaker, language)
    except Unreadable:
        return content
    found = announcements(content)
    bare = content[found[0].end :] if found and not found[0].start else content
    if bare.strip() in (text, text.removeprefix("```json\n").removesuffix("\n```")):
        return content
    return text if _proposes(step) else f"{name.strip()}\n{text}" if "```json" in text else f"{name}{text}"


def _read(step: Step, speaker: Speaker, language: str) -> str:
    """What a reply says, as its reader understands it."""
    if speaker is Speaker.PLANNER:
        return whole_text(step.reply)
    if speaker is Speaker.TOOL:
        return read_tools(step.reply)[1]
    if speaker is Speaker.PLANNER_CHECKER:
        return json_found(text_of(step.reply), "correct").text()
    if not _proposes(step):
        return said_by(text_of(step.reply), speaker)
    tasks = read_candidates(step.reply, step.agent, language)
    found = json_found(text_of(step.reply))
    label = "任务" if language == "zh" else "Task "
    is_clean = set(tasks) >= {value for value in found.value.values() if isinstance(value, str)}
    return found.text(None if is_clean else {f"{label}{number}": task for number, task in enumerate(tasks, 1)})


def _proposes(step: Step) -> bool:
    """Does a user propose tasks as JSON: first ones, or several later ones?"""
    return opens_dialogue(step) or (step.agent == LATER and bool(listed_tasks(text_of(step.reply), LATER)))


def opens_dialogue(step: Step) -> bool:
    """Is it the user who proposes first tasks, before anything was said?"""
    return step.role == "user" and step.agent not in LATER_USERS

"""How real models write the very same reply: reasoning, lead-ins, names, remarks, fences, careless JSON, paraphrase.

Other than faults (faults.py) habits change nothing of what is meant: a generation has to read through them. The rates
are per reply, of the order that was seen with models of ten families; `builtin/noisy?habits=all` makes them, and
`habits=NAME` one of them wherever it can be.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import Reply
from toolgauge.demo.wording import Wording
from toolgauge.generation.agents.blocks import indented
from toolgauge.generation.prompts import texts

Write = Callable[["Writer", Reply], Reply]
_DATA = re.compile(r"```json\n(?P<json>.*)\n```", re.DOTALL)
_FULL_HOUR = re.compile(r"(?<![\d:])(?P<hour>[01]?\d|2[0-3]):00(?![\d:])")


class Writer(Struct, frozen=True):
    """Who replies: role ("user", "agent", "planner", "tool", "checker"), language, and what its habits draw with."""

    role: str
    language: str
    words: Wording

    @property
    def name(self) -> str:
        """How it is asked to begin: "User: "."""
        key = "planner_checker" if self.role == "checker" else self.role
        return texts("speakers", self.language)[key]

    def bare(self, reply: Reply) -> str:
        """What it says, without its name."""
        return (reply.content or "").removeprefix(self.name).removeprefix(self.name.strip()).strip()

    def is_data(self, reply: Reply) -> bool:
        return "```json" in (reply.content or "")


class Habit(Struct, frozen=True):
    """does: what it is. rate: share of the replies; data: of JSON (True), of words (False), or of both (None).

    refused: it cannot be read through; the reply is asked for again.
    """

    does: str
    rate: float
    data: bool | None
    write: Write
    roles: tuple[str, ...] = ("user", "agent", "planner", "tool", "checker")
    refused: bool = False


def habitual(speaker: Writer, reply: Reply, draw: random.Random, only: str = "all") -> Reply:
    """The reply as a real model would have written it. only: "all", or one habit's name."""
    if speaker.role == "planner":
        reply = _json(lambda text, _: _answered(text, speaker, draw, only))(speaker, reply)
    for name, habit in HABITS.items():
        rate = _rate(name, habit, only)
        fits = speaker.role in habit.roles and habit.data in (None, speaker.is_data(reply))
        if fits and draw.random() < rate and reply.content:
            reply = habit.write(speaker, reply)
    return reply


def _rate(name: str, habit: Habit, only: str) -> float:
    return habit.rate if only == "all" else float(name == only)


def _answered(text: str, speaker: Writer, draw: random.Random, only: str) -> str:
    """A decision whose words for the user are written as an assistant writes them."""
    value = msgspec.json.decode(text)
    if not value.get("Answer"):
        return text
    assistant = replace(speaker, role="agent")
    said = Reply(f"{assistant.name}{value['Answer']}")
    for name, habit in HABITS.items():
        if habit.data is False and "agent" in habit.roles and draw.random() < _rate(name, habit, only):
            said = habit.write(assistant, said)
    value["Answer"] = said.content
    return indented(value)


def _around(before: str = "", after: str = "") -> Write:
    """Words in front of the reply and behind it, by their names in words.<language>.json."""

    def write(speaker: Writer, reply: Reply) -> Reply:
        said = [speaker.words(name) if name else "" for name in (before, after)]
        return replace(reply, content=f"{said[0]}{reply.content}{said[1]}")

    return write


def _renamed(speaker: Writer, reply: Reply) -> Reply:
    return replace(reply, content=speaker.words(f"habit_name_{speaker.role}") + speaker.bare(reply))


def _fenced(speaker: Writer, reply: Reply) -> Reply:
    return replace(reply, content=f"```\n{reply.content}\n```") if "```" not in speaker.bare(reply) else reply


def _quoted(speaker: Writer, reply: Reply) -> Reply:
    marks = ("“", "”") if speaker.language == "zh" else ('"', '"')
    bare = speaker.bare(reply)
    return reply if set(marks) & set(bare) else replace(reply, content=f"{marks[0]}{bare}{marks[1]}")


def _in_field(speaker: Writer, reply: Reply) -> Reply:
    return replace(reply, reasoning=speaker.words("habit_think"))


def _broken_off(speaker: Writer, reply: Reply) -> Reply:
    return replace(reply, content=f"<think>\n{speaker.words('habit_think')}", finish_reason="length")


def _spoken_anew(speaker: Writer, reply: Reply) -> Reply:
    """The same in other words: an opener, as people and assistants have them."""
    return replace(reply, content=f"{speaker.name}{speaker.words(f'habit_opener_{speaker.role}')}{speaker.bare(reply)}")


def _clock(speaker: Writer, reply: Reply) -> Reply:
    """Noon for 12:00, 3 pm for 15:00."""

    def said(found: re.Match[str]) -> str:
        hour = int(found["hour"])
        if speaker.language == "zh":
            return (
                "中午12点"
                if hour == 12
                else f"下午{hour - 12}点"
                if hour > 12
                else f"上午{hour}点"
                if hour
                else found[0]
            )
        return "noon" if hour == 12 else f"{hour - 12} pm" if hour > 12 else f"{hour} am" if hour else found[0]

    return replace(reply, content=_FULL_HOUR.sub(said, reply.content or ""))


def _json(change: Callable[[str, Writer], str]) -> Write:
    """A change of the JSON in a reply."""

    def write(speaker: Writer, reply: Reply) -> Reply:
        content = reply.content or ""
        found = _DATA.search(content)
        if not found:
            return reply
        return replace(reply, content=content[: found.start("json")] + change(found["json"], speaker)
                       + content[found.end("json") :])  # fmt: skip

    return write


def _single_quoted(text: str, _speaker: Writer) -> str:
    """As Python writes it; only where no text would need escaping."""
    if "'" in text or "\\" in text:
        return text
    value = msgspec.json.decode(text)
    return str(value)


def _arguments_as_text(text: str, _speaker: Writer) -> str:
    value = msgspec.json.decode(text)
    for action in value.get("Action_List", ()):
        action["arguments"] = msgspec.json.encode(action["arguments"]).decode()
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def _with_comma(text: str, _speaker: Writer) -> str:
    inside = text.rstrip().removesuffix("}").rstrip()
    return f"{inside},\n}}" if text.rstrip().endswith("}") else text


def _wide(text: str, speaker: Writer) -> str:
    return re.sub(r'":(?= )', '"：', text) if speaker.language == "zh" else text


_SPEAKS = ("user", "agent")
HABITS: dict[str, Habit] = {
    "clock_words": Habit("noon for 12:00, 3 pm for 15:00", 0.5, None, _clock, ("user",)),
    "opener": Habit("an opener before the words", 0.15, False, _spoken_anew, _SPEAKS),
    "name_shape": Habit("the speaker's name in another shape, or none", 0.4, False, _renamed, _SPEAKS),
    "quotes": Habit("quotation marks round the whole", 0.08, False, _quoted, ("user",)),
    "remark": Habit("a remark to whoever reads it", 0.1, False, _around(after="habit_remark"), _SPEAKS),
    "next_speaker": Habit("what the next speakers might say", 0.05, False, _around(after="habit_next"), _SPEAKS),
    "fence": Habit("a fence round the whole", 0.05, False, _fenced, _SPEAKS),
    "lead_in": Habit("a lead-in", 0.12, False, _around("habit_lead_in"), _SPEAKS),
    "text_arguments": Habit("arguments as JSON text", 0.05, True, _json(_arguments_as_text), ("planner",)),
    "single_quotes": Habit("JSON as Python writes it", 0.03, True, _json(_single_quoted)),
    "prose": Habit("prose around the JSON", 0.15, True, _around("habit_prose", "habit_prose_after")),
    "commas": Habit("a comma before the last brace", 0.05, True, _json(_with_comma)),
    "comments": Habit("a comment in the JSON", 0.03, True,
                      _json(lambda text, speaker: f"{{ // {speaker.words('habit_comment')}\n{text[1:]}")),
    "wide_colons": Habit("Chinese colons in Chinese JSON", 0.03, True, _json(_wide)),
    "another_object": Habit("another object before the one that is meant", 0.03, True, _around("habit_object")),
    "template_marks": Habit("a chat template's end mark", 0.02, None, lambda _, reply: replace(
        reply, content=f"{reply.content}<|im_end|>")),
    "think": Habit("reasoning in a tag", 0.2, None, lambda speaker, reply: replace(
        reply, content=f"<think>\n{speaker.words('habit_think')}\n</think>\n\n{reply.content}")),
    "think_closed": Habit("reasoning with a closing tag only", 0.05, None, lambda speaker, reply: replace(
        reply, content=f"{speaker.words('habit_think')}\n</think>\n{reply.content}")),
    "reasoning_field": Habit("reasoning in its field", 0.15, None, _in_field),
    "out_of_role": Habit("talk about the conversation", 0.01, False, lambda speaker, reply: replace(
        reply, content=speaker.words(f"habit_out_of_role_{speaker.role}")), _SPEAKS, refused=True),
    "broken_off": Habit("nothing but reasoning", 0.005, None, _broken_off, refused=True),
}  # fmt: skip
"""By name, in the order in which they are applied: what is said first, then what stands around it."""

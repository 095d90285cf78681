"""Scripted conversations over four domains: what assistant, user and judge say, and how each goes wrong.

A script is asked with the messages of a request, as OpenAI's API has them, and answers with content and calls. It keeps
nothing between requests, so both harnesses can be driven by the same one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

Json = dict[str, Any]

FLAWS = (
    "none",
    "no_action",
    "last_missing",
    "first_missing",
    "wrong_value",
    "wrong_order",
    "twice",
    "all_at_once",
    "unknown_tool",
    "wrong_parameter",
    "errors_without_end",
    "talks_without_end",
    "says_nothing_due",
    "commas",
    "shouts",
    "text_and_call",
    "number_as_text",
    "agent_stops",
    "user_transfers",
    "user_leaves_the_scope",
    "user_gives_up",
    "user_does_nothing",
    "user_calls_wrongly",
    "judge_refuses_one",
    "judge_refuses_all",
    "judge_forgets_one",
    "broken_arguments",
    "arguments_are_a_list",
    "empty_reply",
    "empty_user",
    "judge_talks",
)
"""How a conversation goes wrong. From "broken_arguments" on the original gives up with an exception."""
ENDS = {
    "user_transfers": "###TRANSFER###",
    "user_leaves_the_scope": "###OUT-OF-SCOPE###",
    "user_gives_up": "###STOP###",
}
COUNTS = {"retail": 46, "airline": 30, "telecom": 40, "mock": 10}
PLEASE = "Please do step"


class Reply(NamedTuple):
    content: str | None = None
    calls: tuple[tuple[str, str], ...] = ()
    """Name and arguments as JSON text."""


class Script(NamedTuple):
    """One conversation: a task of tau2, by its domain and its place in it, and what is wrong."""

    domain: str
    place: int
    task: Json
    flaw: str

    @property
    def name(self) -> str:
        return f"{self.domain}-{self.place}"

    def reply(self, role: str, messages: Sequence[Mapping[str, Any]]) -> Reply:
        return {"assistant": self._assistant, "user": self._user, "judge": self._judge}[role](messages)

    def _actions(self) -> list[Json]:
        """The annotated actions, and what the flaw makes of them."""
        actions = [dict(action) for action in self._criteria("actions")]
        if not actions or self.flaw == "no_action":
            return []
        changed = self._changed(actions[-1])
        return {
            "last_missing": actions[:-1],
            "first_missing": actions[1:],
            "wrong_order": actions[::-1],
            "twice": actions + actions[-1:],
            "wrong_value": [*actions[:-1], changed],
            "number_as_text": [*actions[:-1], {**actions[-1], "arguments": _as_text(actions[-1]["arguments"])}],
            "unknown_tool": [{"name": "open_the_safe", "arguments": {}}, *actions],
            "wrong_parameter": [{**actions[0], "arguments": {"nobody_knows": 1}}, *actions],
        }.get(self.flaw, actions)

    def _changed(self, action: Json) -> Json:
        values = action["arguments"]
        if not values:
            return action
        name = Random(self.name).choice(sorted(values))
        value = values[name]
        return {**action, "arguments": values | {name: f"{value} " if isinstance(value, str) else None}}

    def _assistant(self, messages: Sequence[Mapping[str, Any]]) -> Reply:
        made = sum(message["role"] == "assistant" for message in messages) - self._spoken_before("assistant")
        endless = self._endless(made)
        if endless is not None:
            return endless
        actions = self._actions()
        if self.flaw == "all_at_once" and not made:
            calls = tuple(_call(one) for one in actions if one.get("requestor") != "user")
            if calls:
                return Reply(None, calls)
        if made < len(actions) and self.flaw != "all_at_once":
            action = actions[made]
            if action.get("requestor") == "user":
                due = self._criteria("actions")
                return Reply(f"{PLEASE} {due.index(action) if action in due else made}.")
            return Reply("One moment." if self.flaw == "text_and_call" else None, (_call(action),))
        return Reply(self._last_words())

    def _endless(self, made: int) -> Reply | None:
        """What the flaws that end a conversation early say, if it is one of them."""
        if self.flaw == "errors_without_end":
            return Reply(None, (("open_the_safe", "{}"),))
        if self.flaw == "talks_without_end":
            return Reply("Could you say that again?")
        if made:
            return None
        return {
            "agent_stops": Reply("###STOP###"),
            "broken_arguments": Reply(None, (("get_user_details", '{"user_id": '),)),
            "arguments_are_a_list": Reply(None, (("get_user_details", "[1, 2]"),)),
            "empty_reply": Reply(" "),
        }.get(self.flaw)

    def _last_words(self) -> str:
        due = [] if self.flaw == "says_nothing_due" else self._criteria("communicate_info")
        words = ". ".join(["That is done", *due])
        if self.flaw == "commas":
            words = ",".join(words)
        return words.upper() if self.flaw == "shouts" else words

    def _user(self, messages: Sequence[Mapping[str, Any]]) -> Reply:
        last = messages[-1]
        if self.flaw in ENDS:
            return Reply(f"No. {ENDS[self.flaw]}")
        if self.flaw == "empty_user":
            return Reply("")
        if last["role"] == "tool":
            return Reply("I have done that.")
        text = last["content"] or ""
        if PLEASE in text and self.flaw != "user_does_nothing":
            action = self._criteria("actions")[int(text.rsplit(" ", 1)[1].strip("."))]
            if self.flaw == "user_calls_wrongly":
                action = self._changed({**action, "arguments": action["arguments"] or {"nobody": "knows"}})
            return Reply(None, (_call(action),))
        if "done" in text.casefold().replace(",", ""):
            return Reply("Thank you. ###STOP###")
        return Reply("I cannot." if self.flaw == "user_does_nothing" and PLEASE in text else "Hello, I need help.")

    def _judge(self, messages: Sequence[Mapping[str, Any]]) -> Reply:
        due = self._criteria("nl_assertions")
        if self.flaw == "judge_talks":
            return Reply("I think that went well.")
        if self.flaw == "judge_forgets_one":
            due = due[1:]
        refused = {"judge_refuses_one": due[:1], "judge_refuses_all": due}.get(self.flaw, [])
        results = [{"expectedOutcome": one, "reasoning": "seen", "metExpectation": one not in refused} for one in due]
        return Reply(json.dumps({"results": results}))

    def _criteria(self, name: str) -> list[Any]:
        return (self.task.get("evaluation_criteria") or {}).get(name) or []

    def _spoken_before(self, role: str) -> int:
        """Messages that the conversation begins with: a recorded history, or the greeting."""
        history = (self.task.get("initial_state") or {}).get("message_history")
        return sum(message["role"] == role for message in history) if history else 1


def plain(role: str, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]) -> list[Any]:
    """What a request says: without the ids of calls, which every harness makes for itself."""
    said = [
        (
            message["role"],
            message["content"],
            [
                (call["function"]["name"], json.loads(call["function"]["arguments"]))
                for call in message.get("tool_calls") or ()
            ],
        )
        for message in messages
    ]
    return [role, said, [tool["function"] for tool in tools]]


def digest(requests: Sequence[list[Any]]) -> str:
    return hashlib.sha256(json.dumps(requests, sort_keys=True).encode()).hexdigest()[:16]


def _call(action: Json) -> tuple[str, str]:
    return action["name"], json.dumps(action["arguments"])


def _as_text(values: Json) -> Json:
    return {name: str(value) if isinstance(value, int | float) else value for name, value in values.items()}


def scripts(domains: Path) -> list[Script]:
    """The conversations: every flaw in turn, each on the next task of the domain that has what it takes."""
    made: list[Script] = []
    for domain, count in COUNTS.items():
        tasks = json.loads((domains / domain / "tasks.json").read_text("utf-8"))
        base = set(json.loads((domains / domain / "split_tasks.json").read_text("utf-8"))["base"])
        left = dict(enumerate(task for task in tasks if task["id"] in base))
        flaws = (FLAWS * count)[len(made) :]
        for flaw in flaws[: count * 2]:
            place = next((place for place, task in left.items() if _suits(flaw, task)), None)
            if place is not None and sum(one.domain == domain for one in made) < count:
                made.append(Script(domain, place, left.pop(place), flaw))
    return made


def _suits(flaw: str, task: Json) -> bool:
    """Whether a flaw makes a difference in a task."""
    criteria = task.get("evaluation_criteria") or {}
    if flaw.startswith("judge"):
        return bool(criteria.get("nl_assertions")) and "NL_ASSERTION" in criteria.get("reward_basis", ())
    if flaw in ("user_does_nothing", "user_calls_wrongly"):
        return any(action.get("requestor") == "user" for action in criteria.get("actions") or ())
    if flaw in ("says_nothing_due", "commas", "shouts"):
        return bool(criteria.get("communicate_info"))
    return True

"""tau2-bench's text domains: a customer, played by a model, talks to an agent that has tools, a policy and a world.

The conversation is had by tau2's own orchestrator and judged by its own evaluator (original.py); toolgauge asks the
models, and does everything after that.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from toolgauge.benchmarks.conversation import ConversationBenchmark, Outcome, Published, Role, Talk, Task, calling
from toolgauge.benchmarks.options import BenchmarkOptions, option
from toolgauge.chat import Message, Reply
from toolgauge.episode import Step
from toolgauge.errors import DataError, ToolgaugeError, UsageError

CITATION = """@misc{barres2025tau2,
  title = {$\\tau^2$-Bench: Evaluating Conversational Agents in a Dual-Control Environment},
  author = {Victor Barres and Honghua Dong and Soham Ray and Xujie Si and Karthik Narasimhan},
  year = {2025},
  eprint = {2506.07982},
  archivePrefix = {arXiv},
}"""
LEADERBOARD = "https://github.com/sierra-research/tau2-bench/tree/a2c0247/web/leaderboard/public/submissions"
PARTS = {
    "DB": "database",
    "ENV_ASSERTION": "assertions",
    "ACTION": "actions",
    "COMMUNICATE": "communicate",
    "NL_ASSERTION": "judged",
}
"""The parts of a reward by tau2's names. The first that is not met is the mistake."""
PLEASE = "Please use"
"""How a perfect model has the user use one of the user's tools."""
GPT = Role("openai/gpt-4.1-2025-04-14", {"temperature": 0})
"""Who speaks beside the agent, unless somebody else is named: tau2's own default."""


class Tau2Options(BenchmarkOptions, frozen=True):
    max_steps: Annotated[int, option("End a conversation after so many messages and calls.", ge=1)] = 200
    max_errors: Annotated[int, option("End a conversation after so many failed calls.", ge=1)] = 10


class Tau2(ConversationBenchmark):
    """One domain of tau2-bench; its tasks are those of the split "base"."""

    wraps = "tau2"
    install = "tau2-bench is not on PyPI (`tau2` there is another package): packages/toolgauge-tau2/README.md"
    citation = CITATION
    headline = "released"
    scorings = ("released",)
    Options = Tau2Options

    def __init__(self, domain: str, judged: bool = False) -> None:
        """judged: a model has to judge statements about the conversation."""
        self.domain = domain
        self.roles = {"user": GPT, "judge": GPT} if judged else {"user": GPT}
        self.name, self.title = f"tau2-{domain}", f"tau2-bench, {domain}"
        rows = Path(__file__).parent / "published" / f"{domain}.csv"
        if rows.is_file():
            self.published = Published(file=rows, title="tau2-bench leaderboard", link=LEADERBOARD, date="2026-08-18")
        self.about = f"A simulated customer talks to an agent with tools, a policy and a world: {domain}"

    @property
    def embedded(self) -> Path:  # type: ignore[override]
        """The folder of the domain in the data of the installed tau2-bench."""
        code = self.library_folder("tau2")
        data = os.environ.get("TAU2_DATA_DIR") or code.parents[1] / "data"
        folder = Path(data) / "tau2" / "domains" / self.domain
        if not (folder / "tasks.json").is_file():
            raise UsageError(f"{self.name}: no data in {data}; {self.install}")
        return folder

    @property
    def tau2(self) -> Any:
        """What is used of tau2-bench, imported where it is needed."""
        return self.library("toolgauge_tau2.original")

    def files(self, file: Path) -> Iterable[Path]:
        return [one for one in file.iterdir() if one.suffix in (".json", ".toml", ".md")]

    def tasks(self, file: Path, language: str) -> Iterable[Task]:  # noqa: ARG002 - there is English only
        try:
            every = json.loads((file / "tasks.json").read_text("utf-8"))
            base = set(json.loads((file / "split_tasks.json").read_text("utf-8"))["base"])
        except (OSError, ValueError, KeyError) as error:
            raise DataError(f"not the data of a domain of tau2-bench: {error}", file) from error
        for place, task in enumerate(task for task in every if task["id"] in base):
            due = task.get("evaluation_criteria") or {}
            kind = (
                task["id"][1:].split("]")[0] if task["id"].startswith("[") else ""
            )  # of telecom's "[kind]cause|cause"
            own = f"{self.domain}-{place}"
            yield Task(id=own, kind=kind, text=_wish(task), data=task, gold=_gold(due), expected=due)

    def play(self, talk: Talk, task: Task, options: Tau2Options) -> str:
        def answer(role: str, messages: list[Message], tools: list[dict[str, Any]]) -> Reply:
            turn = sum(not reply.tool_calls for reply in talk.replies("user")) - (role != "user")
            hint = None if role == "assistant" else _perfect(role, talk, task, messages)
            return talk.ask(messages, tools, role=role, turn=max(turn, 0), hint=hint)

        tau2, steps, errors = self.tau2, options.max_steps, options.max_errors
        try:
            stopped, messages, why = tau2.converse(self.domain, task.data, steps, errors, answer)
        except tau2.UnusableReply as error:
            raise ToolgaugeError(f"the simulated {error.role} gave {error.why}") from error
        talk.record.update(stopped=stopped, messages=messages, why=why)
        return str(stopped)

    def judge(self, task: Task, steps: Sequence[Step], record: Mapping[str, Any]) -> Mapping[str, Outcome]:
        tau2, stopped, messages = self.tau2, record["stopped"], record["messages"]
        if stopped == "unusable_reply":
            return {"released": Outcome(mistake=stopped, detail=record["why"])}
        judged = next((step.reply for step in reversed(steps) if step.role == "judge"), None)
        try:
            info = tau2.evaluate(self.domain, task.data, stopped, messages, judged)
        except tau2.UnusableReply:
            return {}  # the judge's: there is no verdict
        except tau2.GIVES_UP as error:
            return {"released": Outcome(mistake="evaluator_failed", detail=f"{type(error).__name__}: {error}")}
        parts = {PARTS[part.value]: value for part, value in (info.reward_breakdown or {}).items()}
        if info.reward == 1:
            return {"released": Outcome(parts=parts)}
        failed = next((part for part in PARTS.values() if parts.get(part, 1) < 1), stopped)
        states = tau2.worlds(self.domain, task.data, messages) if failed in ("database", "assertions") else None
        return {"released": Outcome(mistake=failed, detail=_why(info), parts=parts, states=states)}


def _wish(task: Mapping[str, Any]) -> str:
    """What the customer wants."""
    told = task["user_scenario"]["instructions"]
    return str(told["reason_for_call"] if isinstance(told, dict) else told)


def _why(info: Any) -> str:
    """The single checks that failed, for the task's page."""
    failed = [f"{one.action.name} not called as annotated" for one in info.action_checks or () if not one.action_match]
    failed += [f"{one.env_assertion.func_name}: not so" for one in info.env_assertions or () if not one.met]
    failed += [f"not said: {one.info}" for one in info.communicate_checks or () if not one.met]
    failed += [f"{one.nl_assertion}: {one.justification}" for one in info.nl_assertions or () if not one.met]
    return "; ".join(failed) or str((info.info or {}).get("note", ""))


def _gold(due: Mapping[str, Any]) -> list[list[Reply]]:
    """What a perfect model replies: the annotated actions in their order, the user's by asking for them."""
    turns: list[list[Reply]] = [[]]
    for action in due.get("actions") or ():
        if action.get("requestor") == "user":
            turns[-1].append(Reply(f"{PLEASE} `{action['name']}`."))
            turns.append([])
        else:
            turns[-1].append(calling([action]))
    turns[-1].append(Reply(". ".join(["That is done", *(due.get("communicate_info") or ())])))
    return turns


def _perfect(role: str, talk: Talk, task: Task, messages: Sequence[Any]) -> Reply:
    """What a content judge says, or a user who says what it wants, does what the perfect model asks for, and goes."""
    if role == "judge":
        due = task.expected["nl_assertions"]
        results = [{"expectedOutcome": one, "reasoning": "", "metExpectation": True} for one in due]
        return Reply(json.dumps({"results": results}))
    own = [action for action in task.expected.get("actions") or () if action.get("requestor") == "user"]
    made = sum(len(reply.tool_calls) for reply in talk.replies("user"))
    if messages[-1]["role"] == "tool":
        return Reply("I have done that.")
    if made < len(own) and (messages[-1]["content"] or "").startswith(PLEASE):
        return calling([own[made]])
    return Reply("###STOP###" if talk.replies("user") else task.text)


RETAIL = Tau2("retail", judged=True)
AIRLINE, TELECOM, MOCK = map(Tau2, ("airline", "telecom", "mock"))

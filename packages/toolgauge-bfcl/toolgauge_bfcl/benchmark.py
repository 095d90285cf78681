"""BFCL v4 multi_turn: conversations of several turns in which a model's calls change simulated worlds.

Within a turn the model is asked again and again, with the results of its calls, until a reply has none (or calls that
cannot be read); then the user speaks again. Data, worlds and checker are the installed bfcl-eval's (original.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from toolgauge.benchmarks.conversation import (
    ConversationBenchmark,
    Outcome,
    Published,
    Talk,
    Task,
    calling,
    calls_made,
    replies_by_turn,
)
from toolgauge.benchmarks.options import BenchmarkOptions
from toolgauge.chat import Message, Reply
from toolgauge.episode import Step, Trajectory

HERE = Path(__file__).parent
CATEGORIES = ("base", "miss_func", "miss_param", "long_context")
SCORING = "released"
"""The original's own labels."""


class BfclMultiTurn(ConversationBenchmark):
    name = "bfcl-multi-turn"
    title = "BFCL v4 multi-turn"
    about = "Conversations of several turns over simulated worlds, from the Berkeley Function Calling Leaderboard."
    citation = (HERE / "citation.bib").read_text()
    published = Published(
        file=HERE / "published.csv",
        title="Berkeley Function Calling Leaderboard V4",
        link="https://gorilla.cs.berkeley.edu/leaderboard",
        date="2025-12-16",
        tasks=800,
    )
    wraps = "bfcl-eval"
    install = "pip install --no-deps bfcl-eval==2026.3.23 (packages/toolgauge-bfcl/README.md)"
    headline = SCORING
    scorings = (SCORING,)
    texts: Mapping[str, Mapping[str, str]] = {
        "en": {
            "empty_turn_model_response": "turn {turn}: no call, where calls are due",
            "instance_state_mismatch": "turn {turn}: the calls leave a world in another state than the annotated ones",
            "execution_response_mismatch": "turn {turn}: a result that the annotated calls have never came up",
            "force_terminated": "turn {turn}: still calling after {limit} replies, and ended there",
            "checker_failed": "turn {turn}: the original's checker cannot compare the worlds ({error})",
        },
        "zh": {
            "empty_turn_model_response": "第 {turn} 轮：应当调用工具，却没有调用",
            "instance_state_mismatch": "第 {turn} 轮：调用之后的环境状态与标注的调用不同",
            "execution_response_mismatch": "第 {turn} 轮：标注的调用所得的某个结果始终没有出现",
            "force_terminated": "第 {turn} 轮：{limit} 次回复之后仍在调用，对话就此结束",
            "checker_failed": "第 {turn} 轮：原评测程序无法比较环境（{error}）",
        },
    }

    @property
    def embedded(self) -> Path:  # type: ignore[override]
        """The data in the installed bfcl-eval."""
        return self.library_folder("bfcl_eval") / "data"

    @property
    def bfcl(self) -> Any:
        """What is used of bfcl-eval, imported where it is needed."""
        return self.library("toolgauge_bfcl.original")

    def files(self, file: Path) -> Iterable[Path]:
        names = [f"BFCL_v4_multi_turn_{category}.json" for category in CATEGORIES]
        return [file / folder / name for folder in ("", "possible_answer") for name in names]

    def tasks(self, file: Path, language: str) -> Iterable[Task]:  # noqa: ARG002 - there is one
        for category in CATEGORIES:
            for entry, gold in self.bfcl.entries(file, category):
                calls = self.bfcl.gold_calls(entry, gold)
                yield Task(
                    id=entry["id"],
                    kind=category,
                    group=f"entry_{entry['id'].rpartition('_')[2]}",  # its variants in the four categories
                    text=" / ".join(message["content"] for turn in entry["question"] for message in turn),
                    data=(entry, gold),
                    gold=[[calling(turn)] if turn else [] for turn in calls],  # up to 36; 20 replies are the limit
                    expected=calls,
                )

    def play(self, talk: Talk, task: Task, options: BenchmarkOptions) -> str:  # noqa: ARG002
        bfcl, (entry, _) = self.bfcl, task.data
        world, functions = bfcl.World(entry), entry["function"]
        tools = bfcl.function_definitions(functions)
        messages: list[Message] = []
        for turn, users in enumerate(entry["question"]):
            said = [user["content"] for user in users]
            if (held_back := entry.get("missed_function", {}).get(str(turn))) is not None:
                functions = [*functions, *held_back]
                tools, said = bfcl.function_definitions(functions), [bfcl.MORE_TOOLS]
            messages += [Message("user", text) for text in said]
            for _ in range(bfcl.MAXIMUM_STEP_LIMIT + 1):
                reply = talk.ask(messages, tools, turn=turn)
                messages.append(reply.message())
                expressions = self._expressions(entry, reply)
                if not expressions:
                    break
                results = zip(reply.tool_calls, world(expressions), strict=True)
                messages += [Message("tool", result, tool_call_id=call.id) for call, result in results]
            else:
                return f"still calling after {bfcl.MAXIMUM_STEP_LIMIT} replies in turn {turn + 1}"
        return "end of the conversation"

    def judge(self, task: Task, steps: Sequence[Step], record: Mapping[str, Any]) -> Mapping[str, Outcome]:  # noqa: ARG002
        bfcl, (entry, gold) = self.bfcl, task.data
        read = [[self._expressions(entry, reply) for reply in turn] for turn in replies_by_turn(steps)]
        verdict = bfcl.check(entry, gold, [[calls for calls in turn if calls] for turn in read])
        if verdict.mistake is None:
            return {SCORING: Outcome(progress=(len(gold), len(gold)))}
        outcome = Outcome(
            mistake=verdict.mistake,
            code=verdict.mistake,
            parameters={"turn": verdict.turn + 1, "limit": bfcl.MAXIMUM_STEP_LIMIT, "error": verdict.error},
            turn=verdict.turn,
            progress=(verdict.turn, len(gold)),
            states=verdict.states,
        )
        return {SCORING: outcome}

    def reply_text(self, task: Task, trajectory: Trajectory) -> object:  # noqa: ARG002
        """The calls of each turn, as `expected` has them."""
        turns = replies_by_turn(trajectory.steps)
        return [[call for reply in turn for call in calls_made(reply)] for turn in turns]

    def _expressions(self, entry: Mapping[str, Any], reply: Reply) -> list[str]:
        """The calls of a reply; none where they cannot be read, which ends the turn in the original too."""
        try:
            return list(self.bfcl.expressions(entry, [(call.name, call.arguments) for call in reply.tool_calls]))
        except Exception:
            return []

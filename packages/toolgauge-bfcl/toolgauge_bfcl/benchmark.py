"""BFCL v4 multi_turn: conversations of several turns in which a model's calls change simulated worlds.

How it goes: the model is asked again and again within a turn, with the results of its calls, until a reply has none
(or calls that cannot be read); then the user speaks again. Data, worlds and checker are those of the installed bfcl-eval
(toolgauge_bfcl/original.py).
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

from toolgauge.benchmarks.benchmark import DEFAULT, Sample, Setup
from toolgauge.benchmarks.conversation.benchmark import ConversationBenchmark
from toolgauge.benchmarks.conversation.talk import Talk
from toolgauge.benchmarks.conversation.tasks import Outcome, Task, TaskSet
from toolgauge.benchmarks.options import BenchmarkOptions, chosen_options, option
from toolgauge.chat import Message, Reply, ToolCall
from toolgauge.episode import Step
from toolgauge.errors import UsageError

CATEGORIES = ("base", "miss_func", "miss_param", "long_context")
INSTALL = "pip install --no-deps bfcl-eval==2026.3.23"


class Options(BenchmarkOptions, frozen=True):
    category: Annotated[tuple[str, ...], option("Some of base, miss_func, miss_param, long_context.", selects=True)] = (
        CATEGORIES
    )


class BfclMultiTurn(ConversationBenchmark):
    name = "bfcl-multi-turn"
    title = "BFCL v4 multi-turn"
    about = "Conversations of several turns with simulated worlds, from the Berkeley Function Calling Leaderboard"
    wraps = "bfcl-eval"
    headline = "released"
    scorings = ("released",)
    Options = Options
    texts = {
        "en": {
            "empty_turn_model_response": "Turn {turn}: no call, but calls are due",
            "instance_state_mismatch": "Turn {turn}: the calls left a world in another state than the annotated ones",
            "execution_response_mismatch": "Turn {turn}: a result that the annotated calls give was never seen",
            "force_terminated": "Turn {turn}: still calling after {limit} replies, and ended",
            "checker_failed": "Turn {turn}: the original checker cannot compare the worlds ({error})",
        },
        "zh": {
            "empty_turn_model_response": "第 {turn} 轮:应当调用工具,却没有调用",
            "instance_state_mismatch": "第 {turn} 轮:调用之后的环境状态与标注不同",
            "execution_response_mismatch": "第 {turn} 轮:标注的调用应得到的结果没有出现",
            "force_terminated": "第 {turn} 轮:{limit} 次回复之后仍在调用,对话被终止",
            "checker_failed": "第 {turn} 轮:原始评测程序无法比较环境({error})",
        },
    }

    @property
    def embedded(self) -> Path:  # type: ignore[override]
        """The data of the installed bfcl-eval."""
        found = importlib.util.find_spec("bfcl_eval")
        if found is None or not found.submodule_search_locations:
            raise UsageError(f"toolgauge-bfcl needs bfcl-eval: {INSTALL}")
        return Path(found.submodule_search_locations[0]) / "data"

    def files(self, file: Path) -> Iterable[Path]:
        names = [f"BFCL_v4_multi_turn_{category}.json" for category in CATEGORIES]
        every = [file / folder / name for folder in ("", "possible_answer") for name in names]
        return [path for path in every if path.exists()]

    def tasks(self, file: Path, language: str) -> Iterable[Task]:
        bfcl = original()
        for category in CATEGORIES:
            for entry, gold in bfcl.entries(file, category):
                calls = bfcl.gold_calls(entry, gold)
                yield Task(
                    id=entry["id"],
                    kind=category,
                    group=f"entry_{entry['id'].rpartition('_')[2]}",  # its variants in the four categories
                    text=" / ".join(message["content"] for turn in entry["question"] for message in turn),
                    data=(entry, gold),
                    gold=[_replies(turn) for turn in calls],
                    expected=[[{"name": name, "arguments": arguments} for name, arguments in turn] for turn in calls],
                )

    def samples(self, dataset: TaskSet, setup: Setup = DEFAULT) -> list[Sample]:
        chosen = chosen_options(Options, self.name, setup.options).category
        if unknown := set(chosen) - set(CATEGORIES):
            raise UsageError(f"category: unknown {', '.join(sorted(unknown))}; there are {', '.join(CATEGORIES)}")
        return [sample for sample in super().samples(dataset, setup) if self._task(dataset, sample.key, sample.epoch).kind in chosen]

    def play(self, talk: Talk, task: Task, options: Options) -> str:
        bfcl = original()
        entry, _ = task.data
        world, functions = bfcl.World(entry), list(entry["function"])
        messages: list[Message] = []
        for turn, users in enumerate(entry["question"]):
            said = [user["content"] for user in users]
            if (held_back := entry.get("missed_function", {}).get(str(turn))) is not None:
                functions += held_back
                said = [bfcl.MORE_TOOLS]
            tools = bfcl.function_definitions(functions)
            messages += [Message("user", text) for text in said]
            for _ in range(bfcl.MAXIMUM_STEP_LIMIT + 1):
                reply = talk.ask(messages, tools, turn=turn)
                messages.append(reply.message())
                expressions = _expressions(entry, reply)
                if not expressions:
                    break
                results = zip(reply.tool_calls, world(expressions), strict=True)
                messages += [Message("tool", result, tool_call_id=call.id) for call, result in results]
            else:
                return f"turn {turn + 1}: still calling after {bfcl.MAXIMUM_STEP_LIMIT} replies"
        return "all turns were had"

    def judge(self, task: Task, steps: Sequence[Step], record: Mapping[str, Any]) -> Mapping[str, Outcome]:
        bfcl = original()
        entry, gold = task.data
        turns: list[list[list[str]]] = [[] for _ in range(1 + max(step.turn for step in steps))]
        for step in steps:
            if expressions := _expressions(entry, step.reply):
                turns[step.turn].append(expressions)
        verdict = bfcl.check(entry, gold, turns)
        if verdict.mistake is None:
            return {"released": Outcome(progress=(len(gold), len(gold)))}
        return {
            "released": Outcome(
                mistake=verdict.mistake,
                code=verdict.mistake,
                parameters={"turn": verdict.turn + 1, "limit": bfcl.MAXIMUM_STEP_LIMIT, "error": verdict.error},
                turn=verdict.turn,
                progress=(verdict.turn, len(gold)),
                states=verdict.states,
            )
        }


def original() -> ModuleType:
    """The module that uses bfcl-eval, which may be missing; UsageError says how to install what it needs."""
    try:
        from toolgauge_bfcl import original as module
    except ImportError as error:
        raise UsageError(f"toolgauge-bfcl cannot use bfcl-eval ({error}): {INSTALL}") from error
    return module


def _expressions(entry: Mapping[str, Any], reply: Reply) -> list[str]:
    """The calls of a reply; none where they cannot be read: for the original, too, the turn is over then."""
    try:
        calls = [(call.name, call.arguments) for call in reply.tool_calls]
        return list(original().expressions(entry, calls))
    except Exception:
        return []


def _replies(calls: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Reply]:
    """The replies with which a perfect model makes the calls of a turn, one call in each."""
    made = [ToolCall(f"call_{number}", name, json.dumps(arguments)) for number, (name, arguments) in enumerate(calls)]
    return [Reply(None, (call,)) for call in made]

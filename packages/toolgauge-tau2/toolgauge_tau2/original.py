"""All that is used of the installed tau2-bench: its orchestrator, agent, user, judge's prompt, worlds and evaluator.

They run as they are. One function of theirs is replaced, by which all of them ask a model (`generate`): its requests go
to whoever `answering` names.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, TypeAlias

os.environ.setdefault("LOGURU_LEVEL", "CRITICAL")  # what tau2 logs is for its own developers
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else its import goes to the network

from tau2.agent import llm_agent
from tau2.data_model.message import AssistantMessage, ToolCall
from tau2.data_model.simulation import SimulationRun, TextRunConfig
from tau2.data_model.tasks import Task
from tau2.evaluator import evaluator_nl_assertions
from tau2.evaluator.evaluator import EvaluationType, evaluate_simulation
from tau2.registry import registry
from tau2.runner.build import build_text_orchestrator
from tau2.user import user_simulator
from tau2.utils.llm_utils import to_litellm_messages

from toolgauge.chat import Message, Reply

Json: TypeAlias = dict[str, Any]
Answer = Callable[[str, list[Message | Json], list[Json]], Reply]
"""Who answers a request: of a role, with messages and tools (as OpenAI's API has them)."""

ROLES = {"agent_response": "assistant", "user_simulator_response": "user", "nl_assertions_eval": "judge"}
"""Who is asked, by the names that tau2 gives its requests."""
JUDGED = ("user_stop", "agent_stop")
"""The ends after which a conversation is judged; after any other its reward is 0."""
KEPT = {"role", "content", "tool_calls", "id", "requestor", "error"}
"""What of a message is recorded."""
GIVES_UP = (ValueError, KeyError, TypeError, AttributeError, AssertionError)
"""In what its evaluator ends where the judge's reply or the world is not what it expects."""

_answer: ContextVar[Answer] = ContextVar("answer")


class UnusableReply(ValueError):
    """A reply with which tau2 ends in an exception: empty, or with arguments that are not a JSON object."""

    def __init__(self, role: str, why: str) -> None:
        super().__init__(why)
        self.role, self.why = role, why


@contextmanager
def answering(answer: Answer) -> Iterator[None]:
    """Within it, whatever tau2 asks in this thread is answered by this."""
    token = _answer.set(answer)
    try:
        yield
    finally:
        _answer.reset(token)


def _generate(messages: Sequence[Any], tools: Any = None, call_name: str = "", **_: Any) -> Any:
    role = ROLES[call_name]
    reply = _answer.get()(role, [_message(one) for one in messages], [tool.openai_schema for tool in tools or ()])
    if not reply.tool_calls and not (reply.content or "").strip():
        raise UnusableReply(role, "an empty reply")
    calls = []
    for call in reply.tool_calls:
        arguments = call.arguments
        with suppress(ValueError, RecursionError):
            arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
        if not isinstance(arguments, dict):
            raise UnusableReply(role, f"arguments of {call.name} that are not a JSON object")
        calls.append(ToolCall(id=call.id or "", name=call.name or "", arguments=arguments))
    said = {"role": "assistant", "content": reply.content, "tool_calls": calls or None}
    return AssistantMessage(**said, raw_data={"reply": reply})


for _module in (llm_agent, user_simulator, evaluator_nl_assertions):
    _module.generate = _generate


def _message(message: Any) -> Message | Json:
    """A message of theirs; of the model, what it said as it said it, with what its provider wants to see again."""
    reply: Reply | None = (getattr(message, "raw_data", None) or {}).get("reply")
    return reply.message() if reply and message.role == "assistant" else to_litellm_messages([message])[0]


def converse(domain: str, task: Json, max_steps: int, max_errors: int, answer: Answer) -> tuple[str, list[Json], str]:
    """Have a conversation: why it stopped, in their words or "unusable_reply"; its messages; what was unusable.

    Where the judge has to speak for the reward, it is asked, too. An UnusableReply of the user is raised.
    """
    config = TextRunConfig(domain=domain, max_steps=max_steps, max_errors=max_errors)
    orchestrator = build_text_orchestrator(config, Task.model_validate(task))
    with answering(answer):
        try:
            simulation = orchestrator.run()
        except UnusableReply as error:
            if error.role != "assistant":
                raise
            return "unusable_reply", _recorded(orchestrator.get_trajectory()), error.why
        stopped: str = simulation.termination_reason.value
        if stopped in JUDGED and "NL_ASSERTION" in _due(task).get("reward_basis", ()):
            with suppress(*GIVES_UP):  # the reply is read when the conversation is evaluated
                evaluator_nl_assertions.NLAssertionsEvaluator.calculate_reward(orchestrator.task, simulation.messages)
    return stopped, _recorded(simulation.messages), ""


def evaluate(domain: str, task: Json, stopped: str, messages: list[Json], judged: Reply | None) -> Any:
    """Their evaluator's RewardInfo for a recorded conversation. judged: what their judge said, where it was asked.

    Raises UnusableReply where the judge did not answer in the form that was asked for, one of GIVES_UP where they do.
    """
    asked, simulation = Task.model_validate(task), _simulation(stopped, messages)
    with answering(lambda *_: judged or Reply()):
        if judged:
            try:
                evaluator_nl_assertions.NLAssertionsEvaluator.calculate_reward(asked, simulation.messages)
            except GIVES_UP as error:
                raise UnusableReply("judge", "a reply of another form") from error
        return evaluate_simulation(simulation, asked, EvaluationType.ALL, False, domain)


def worlds(domain: str, task: Json, messages: list[Json]) -> tuple[Json, Json]:
    """The records in which the world after the annotated actions and the one after a conversation differ."""
    start = Task.model_validate(task).initial_state
    data, actions = (start.initialization_data, start.initialization_actions) if start else (None, None)
    expected, actual = (registry.get_env_constructor(domain)() for _ in range(2))
    expected.set_state(data, actions, (start.message_history if start else None) or [])
    actual.set_state(data, actions, _simulation("user_stop", messages).messages)
    for action in _due(task).get("actions") or ():
        with suppress(Exception):  # as their evaluator does
            expected.make_tool_call(action["name"], action.get("requestor", "assistant"), **action["arguments"])
    before, after = _records(expected), _records(actual)
    differing = [name for name in before | after if before.get(name) != after.get(name)]
    return {name: before.get(name) for name in differing}, {name: after.get(name) for name in differing}


def _records(environment: Any) -> Json:
    """What is in a world, record by record: "orders #W123"."""
    records: Json = {}
    for kit in (environment.tools, environment.user_tools):
        for table, rows in (kit.db.model_dump(mode="json") if kit else {}).items():
            named: Mapping[Any, Any] = rows if isinstance(rows, dict) else dict(enumerate(rows))
            records |= {f"{table} {name}": row for name, row in named.items()}
    return records


def _recorded(messages: Sequence[Any]) -> list[Json]:
    return [message.model_dump(mode="json", include=KEPT, exclude_none=True) for message in messages]


def _simulation(stopped: str, messages: list[Json]) -> Any:
    blank = {"id": "", "task_id": "", "start_time": "", "end_time": "", "duration": 0.0}
    return SimulationRun.model_validate({**blank, "termination_reason": stopped, "messages": messages})


def _due(task: Json) -> Json:
    return task.get("evaluation_criteria") or {}

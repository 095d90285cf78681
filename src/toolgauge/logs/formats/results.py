"""What benchmarks and frameworks keep of their own runs: tau-bench and tau2-bench, BFCL, AutoGen."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolgauge.data.record import DataLine
from toolgauge.errors import DataError
from toolgauge.logs.conversation import LogMessage, made_id
from toolgauge.logs.definitions import read_definitions
from toolgauge.logs.formats.exchanges import object_of
from toolgauge.logs.formats.times import first_time
from toolgauge.logs.joining import Piece, piece_of
from toolgauge.logs.messages import parse_messages
from toolgauge.logs.parts import Json, id_text, make_result, result_text, text_of
from toolgauge.logs.text_calls import parse_python_calls

_STOPS = re.compile(r"\s*###(?:STOP|TRANSFER|OUT-OF-SCOPE)###\s*")
"""What tau2's simulated user says to end: no words of a user."""


def is_tau(value: Json) -> bool:
    """Is it a file of tau2's results, one simulation of it, or an entry of tau-bench's?"""
    simulations = value.get("simulations")
    is_one = (
        "task_id" in value
        and type(value.get("messages")) is list
        and ("termination_reason" in value or "reward_info" in value)
    )
    return type(simulations) is list or is_one or ("task_id" in value and type(value.get("traj")) is list)


def read_tau(record: DataLine) -> Iterator[Piece]:
    """A conversation of each simulation, as the assistant saw it: calls of the user's own tools, and their results, are
    left out."""
    value: Json = record.value
    simulations = value.get("simulations")
    info = object_of(value.get("info"))
    environment = object_of(info.get("environment_info"))
    tools = read_definitions(environment.get("tool_defs") or environment.get("tools") or value.get("tools"))
    policy = environment.get("policy")
    for place, simulation in enumerate(simulations if type(simulations) is list else [value]):
        if type(simulation) is not dict:
            yield piece_of(record, made_id(record.file, record.line), fault=f"simulations[{place}] must be an object")
            continue
        task, trial = simulation.get("task_id"), simulation.get("trial")
        name = f"task-{task}" if not trial else f"task-{task}-trial-{trial}"
        try:
            listed = simulation.get("messages") or simulation.get("traj")
            messages = list(_tau_messages(record, listed if type(listed) is list else []))
        except DataError as error:
            yield piece_of(record, name, fault=error.message)
            continue
        if type(policy) is str and policy and not (messages and messages[0].role == "system"):
            messages = [LogMessage("system", policy), *messages]
        time = first_time(("start_time", "timestamp"), simulation)
        yield piece_of(record, name, messages=tuple(messages), tools=tools, time=time)


def _tau_messages(record: DataLine, listed: list[object]) -> Iterator[LogMessage]:
    for place, message in enumerate(listed):
        if type(message) is not dict:
            raise record.error("must be an object", f"messages[{place}]")
        inner = message.get("tool_messages")
        for part in inner if type(inner) is list else [message]:
            if type(part) is not dict:
                raise record.error("must be an object", f"messages[{place}]")
            yield from _tau_message(record, part, f"messages[{place}]")


def _tau_message(record: DataLine, message: dict[str, object], path: str) -> Iterator[LogMessage]:
    role = message.get("role")
    if role == "tool":
        if message.get("requestor") != "user":
            call_id = message.get("id", message.get("tool_call_id"))
            failed = bool(message["error"]) if "error" in message else None
            yield make_result(call_id, result_text(message.get("content")), message.get("name"), failed)
        return
    if role == "user":
        text = _STOPS.sub("", text_of(message.get("content")))
        if text.strip():
            yield LogMessage("user", text)
        return
    yield from parse_messages(record, [message], path)


def is_bfcl(value: Json) -> bool:
    """Is it a line of BFCL's result files?"""
    return (
        "id" in value
        and "result" in value
        and ("inference_log" in value or "latency" in value or "input_token_count" in value)
    )


def read_bfcl(record: DataLine) -> Iterator[Piece]:
    """A multi-turn entry with its log of inference; the results alone do not have what the user said."""
    log = record.value.get("inference_log")
    turns = [turn for turn in log if type(turn) is dict and "begin_of_turn_query" in turn] if type(log) is list else []
    if not turns:
        raise record.error("holds no messages of the user; only multi-turn entries with `inference_log` do")
    messages: list[LogMessage] = []
    for turn in turns:
        messages += parse_messages(record, turn["begin_of_turn_query"], "begin_of_turn_query")
        steps = sorted((key for key in turn if key.startswith("step_")), key=lambda key: (len(key), key))
        for key in steps:
            messages += _bfcl_step(record, turn[key], key)
    name = id_text(record.value.get("id")) or made_id(record.file, record.line)
    yield piece_of(record, name, messages=tuple(messages))


def _bfcl_step(record: DataLine, entries: object, path: str) -> Iterator[LogMessage]:
    """A reply with the calls that were decoded from it, and what these gave."""
    listed = [entry for entry in entries if type(entry) is dict] if type(entries) is list else []
    content = next((entry.get("content") for entry in listed if entry.get("role") == "assistant"), None)
    decoded: list[object] = next(
        (entry["model_response_decoded"] for entry in listed if type(entry.get("model_response_decoded")) is list), []
    )
    calls = []
    for source in decoded:
        parsed = parse_python_calls(f"[{source}]") if type(source) is str else None
        if parsed is None:
            raise record.error("a call that cannot be read", path)
        calls += parsed
    if not calls and type(content) is list and content:
        raise record.error("calls that were not decoded", path)
    if calls:
        yield LogMessage("assistant", None, tuple(calls))
    elif content is not None:
        yield LogMessage("assistant", text_of(content))
    for entry in listed:
        if entry.get("role") == "tool":
            yield make_result(None, result_text(entry.get("content")))


def is_autogen(value: Json) -> bool:
    """Is it AutoGen's result of a task, the state of an agent or a team, or a chat of version 0.2?"""
    listed = value.get("messages")
    first = listed[0] if type(listed) is list and listed else None
    has_events = type(first) is dict and "source" in first and type(first.get("type")) is str
    return (
        has_events
        or type(value.get("agent_states")) is dict
        or type(value.get("llm_context")) is dict
        or type(value.get("chat_history")) is list
    )


def read_autogen(record: DataLine) -> Iterator[Piece]:
    """A result of a task, or a conversation for each agent of a state. Raises DataError."""
    value: Json = record.value
    conversation = id_text(value.get("id")) or made_id(record.file, record.line)
    for key in ("messages", "chat_history"):
        if type(value.get(key)) is list:
            messages = parse_messages(record, value[key], key)
            yield piece_of(record, conversation, messages=tuple(messages), tools=read_definitions(value.get("tools")))
            return
    for name, state in _agent_states(value, conversation):
        context = object_of(state.get("llm_context"))
        listed = context.get("messages", state.get("messages"))
        if type(listed) is list and listed:
            yield piece_of(record, name, messages=tuple(parse_messages(record, listed, "llm_context.messages")))


def _agent_states(value: Json, name: str, depth: int = 4) -> Iterator[tuple[str, Json]]:
    states = value.get("agent_states")
    if type(states) is dict and depth:
        for agent, state in states.items():
            inner = object_of(state)
            yield from _agent_states(
                object_of(inner.get("agent_state")) or inner, f"{name}-{agent.partition('/')[0]}", depth - 1
            )
    elif "llm_context" in value:
        yield name, value

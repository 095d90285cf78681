"""The scripted conversations in tau2-bench alone and through toolgauge: requests, rewards, parts, single checks.

    python -m tests_tau2.compare [--write]     in packages/toolgauge-tau2, where tau2-bench is installed; five minutes

Prints the record, and writes parity.json with --write. Exit code 1: something differs.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from functools import cache
from importlib import metadata
from pathlib import Path

import msgspec

from tests_tau2 import original as theirs  # before toolgauge_tau2.original, which replaces a function of tau2's
from tests_tau2.scripted import FLAWS, Json, Script, digest, plain, scripts
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.benchmarks.conversation.tasks import TaskSet
from toolgauge.chat import Reply, Request, ToolCall
from toolgauge.episode import Trajectory, drive
from toolgauge.errors import ToolgaugeError
from toolgauge_tau2 import original as ours
from toolgauge_tau2.benchmark import AIRLINE, MOCK, PARTS, RETAIL, TELECOM

MAX_STEPS = 60
DOMAINS = {one.domain: one for one in (RETAIL, AIRLINE, TELECOM, MOCK)}
PARITY = Path(__file__).parents[1] / "parity.json"


@cache
def dataset(domain: str) -> TaskSet:
    return DOMAINS[domain].load(DOMAINS[domain].embedded, "en")


def conversation(script: Script) -> tuple[Trajectory, str]:
    """The conversation in toolgauge, as a file gives it back, and a digest of its requests."""
    benchmark, setup = DOMAINS[script.domain], Setup(ids=(script.name,), options={"max_steps": MAX_STEPS})
    (sample,) = benchmark.samples(dataset(script.domain), setup)
    requests = []

    def answer(request: Request) -> Reply:
        messages = [message.wire() for message in request.messages]
        requests.append(plain(request.role, messages, [tool.wire() for tool in request.tools]))
        reply = script.reply(request.role, messages)
        ids = (f"call_{request.role}_{request.step}_{number}" for number in range(len(reply.calls)))
        return Reply(reply.content, tuple(ToolCall(own, *call) for own, call in zip(ids, reply.calls, strict=True)))

    said = drive(benchmark.episode(dataset(script.domain), sample, setup), answer)
    return msgspec.json.decode(msgspec.json.encode(said), type=Trajectory), digest(requests)


def verdict(script: Script) -> Json:
    """What toolgauge says of a conversation: from its score, and from the checks behind it."""
    try:
        said, requests = conversation(script)
    except ToolgaugeError as error:
        return {"no_verdict": str(error)}
    (score,) = DOMAINS[script.domain].scores(dataset(script.domain), said)
    if "released" not in score.scorings:
        return {"no_verdict": "the judge"}
    told = score.scorings["released"]
    if told.mistake in ("unusable_reply", "evaluator_failed"):
        return {"wrong": told.detail}
    judged = next((step.reply for step in said.steps if step.role == "judge"), None)
    info = ours.evaluate(script.domain, script.task, said.extra["stopped"], said.extra["messages"], judged)
    parts = {name: told.parts[own] for name, own in PARTS.items() if own in told.parts} if told.parts else None
    own = {"stopped": said.stopped, "requests": requests, "reward": float(told.correct), "reward_breakdown": parts}
    return theirs.checks(info) | own


def compare() -> Json:
    """What parity.json keeps of a comparison. The originals come first: toolgauge replaces a function of theirs."""
    every = scripts(RETAIL.embedded.parent)
    originals = [theirs.verdict(script, MAX_STEPS, 10) for script in every]
    labels, given_up, differing = Counter[str](), Counter[str](), []
    for script, original in zip(every, originals, strict=True):
        own = verdict(script)
        labels["none" if "gave_up" in original else "right" if original["reward"] == 1 else "wrong"] += 1
        if "gave_up" in original and "stopped" not in own:
            given_up["wrong" if "wrong" in own else "without a verdict"] += 1
        elif original != own:
            differing.append({"case": script.name, "flaw": script.flaw, "original": original, "toolgauge": own})
    return {
        "compared_with": "tau2-bench: its own orchestrator, agent, user, judge and evaluator (run_simulation)",
        "version": f"{metadata.version('tau2')} (commit a2c0247)",
        "what": "what every role is asked, why a conversation ends, its reward, parts and single checks, of scripted "
        f"assistants, users and judges that go wrong in {len(FLAWS) - 1} ways",
        "cases": len(every),
        "domains": dict(Counter(script.domain for script in every)),
        "labels": dict(labels),
        "differing": differing,
        "why": [f"tau2-bench ends in an exception and gives no reward: here {dict(given_up)} (README.md, What counts)"],
        "repeat": "make tau2 TAU2_PYTHON=/path/to/python (packages/toolgauge-tau2/README.md says what it needs)",
    }


if __name__ == "__main__":
    record = compare()
    print(text := json.dumps(record, indent=2))
    if "--write" in sys.argv:
        PARITY.write_text(text + "\n", "utf-8")
    sys.exit(bool(record["differing"]))

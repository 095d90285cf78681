"""An endpoint that plays agents: every request of a generation, recorded beforehand, with the reply to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from tests.mockserver import Json
from toolgauge.chat import Reply, Request
from toolgauge.demo import ScriptedAgents
from toolgauge.episode import drive
from toolgauge.generation.options import GenerationOptions
from toolgauge.generation.spec import plan_generation
from toolgauge.models.builtin.models import oracle
from toolgauge.models.formats import RequestEncoder
from toolgauge.models.model import Sampling

YEAR = 2031
"""That the dialogues are set in: other models than built-in ones would take the present one."""


def content_key(body: Json) -> str:
    """What a request is about, whatever the model and the sampling."""
    return json.dumps(body["messages"], ensure_ascii=False)


def strangers(file: Path, count: int) -> str:
    """A file of scenarios in which everybody is somebody else, so that no two dialogues begin with the same request."""
    lines = [json.dumps({"id": f"stranger {number}", "persona": f"stranger {number}"}) for number in range(count)]
    file.write_text("\n".join(lines), "utf-8")
    return str(file)


class Replayed:
    """Answers as scripted agents answered. asked: how often each request came."""

    def __init__(self, apart: bool = False, **options: Any) -> None:
        """options: of the generation that is to be played (`GenerationOptions`). apart: the planner and the assistant
        are different models."""
        self.scenarios = str(options.get("scenarios", ""))
        self.table: dict[str, str] = {}
        self.steps = 0
        encoder = RequestEncoder("mock", Sampling())

        def answer(request: Request) -> Reply:
            reply = oracle(request)
            key = content_key(msgspec.json.decode(encoder.body(request)))
            assert self.table.setdefault(key, reply.content or "") == (reply.content or ""), "one request, two replies"
            self.steps += 1
            return reply

        plan = plan_generation(
            GenerationOptions(**{"year": YEAR} | options), "builtin/oracle", None, Path("nowhere"), ScriptedAgents
        )
        order = replace(plan, setup=replace(plan.setup, planner_answers=not apart)).spec()
        self.longest = 0
        for sample in order.samples:
            begun = self.steps
            drive(order.episode(sample), answer)
            self.longest = max(self.longest, self.steps - begun)

    def __call__(self, body: Json) -> Json:
        return {"role": "assistant", "content": self.table[content_key(body)]}

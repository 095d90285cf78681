"""Records what a small model says on mini: the file that people label for tests/fixtures/small_models/ (README there).

    toolgauge serve MODEL.gguf --template examples/real_model/with_tools.jinja        in another terminal
    python authoring/record_corpus.py OUT.jsonl -m llamacpp --base-url http://127.0.0.1:8080/v1

Sessions of mini are asked natively and in two dialects, at two temperatures, in both languages. A small model seldom
calls a tool and seldom gets beyond its first reply. So there are three parts: every task as it is; every task with
replies that llama.cpp makes begin like a call (what follows is the model's own); and the later replies of each task,
with the annotated ones before them. Replies are kept as the server gave them, before any dialect reads them. A line
that is there is not asked again.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from toolgauge.benchmarks.benchmark import Sample
from toolgauge.benchmarks.dialogues.benchmark import GRAPH_BENCHMARKS
from toolgauge.chat import Reply, Request
from toolgauge.data.session import Dataset
from toolgauge.episode import Episode
from toolgauge.models.dialects.table import DIALECTS
from toolgauge.models.model import Model, ModelOptions, Sampling
from toolgauge.models.registry import open_model
from toolgauge.models.text_calls import TextToolModel

MINI = GRAPH_BENCHMARKS["mini"]
SESSIONS = ("mini_13", "mini_22", "mini_4", "mini_8", "mini_19", "mini_1")
BEGINNINGS = {
    "hermes": r"""root ::= "<tool_call>\n{\"name\": \"" [^\x00]*""",
    "generic": r"""root ::= "```tool_calls\n" [^\x00]*""",
}
"""Grammars (GBNF) of replies that begin like a call in a dialect."""
LANGUAGES = ("en", "zh")
WAYS = ("native", *BEGINNINGS)
TEMPERATURES = (0, 1)
MOST_TOKENS = 80
SEED = 14
AT_ONCE = 3
"""Conversations at a server."""


class Recorded(Struct, frozen=True, omit_defaults=True):
    """What a model said on one task of mini.

    way: "native" or the name of a dialect; begun: the server made the replies begin like a call; after: so many replies
    before these are the annotated ones; tools_dropped: the server's template has no place for tools, so the model never
    saw them; replies: as the server gave them.
    """

    model: str
    way: str
    language: str
    temperature: float
    task: str
    begun: bool = False
    after: int = 0
    tools_dropped: bool = False
    replies: tuple[Reply, ...] = ()

    @property
    def key(self) -> Recorded:
        """All but what was said."""
        return replace(self, replies=())


class Overheard:
    """A `Model` that keeps the replies of another as they came."""

    def __init__(self, inner: Model) -> None:
        self.name, self.inner = inner.name, inner
        self.replies: list[Reply] = []

    async def ask(self, request: Request) -> Reply:
        reply = await self.inner.ask(request)
        kept = Reply(reply.content, reply.tool_calls, reply.reasoning, reply.finish_reason)
        self.replies.append(kept)
        return reply

    async def close(self) -> None:
        await self.inner.close()

    def describe(self) -> dict[str, object]:
        return self.inner.describe()


def wanted(name: str, dataset: Dataset, session: str, way: str) -> Iterator[Recorded]:
    """What is asked of one session, in an order in which each prompt begins like the one before."""
    asked = Recorded(name, way, dataset.language, 0, session)
    for task in dataset.by_id[session].tasks:
        one = replace(asked, task=f"{session}/{task.index}")
        for temperature in TEMPERATURES if dataset.language == "en" else (TEMPERATURES[task.index % 2],):
            yield replace(one, temperature=temperature)
            if way in BEGINNINGS:
                yield replace(one, temperature=temperature, begun=True)
        for after in range(1, annotated_replies(dataset, one.task)):
            if dataset.language == "en" or after == 1:
                yield replace(one, temperature=TEMPERATURES[after % 2], after=after)


def start(dataset: Dataset, task: str) -> Episode:
    """The episode of a task, "mini_4/1"."""
    session, _, index = task.rpartition("/")
    return MINI.episode(dataset, Sample(task, session, int(index), 0))


def annotated_replies(dataset: Dataset, task: str) -> int:
    """How many replies a perfect model needs."""
    steps = 0
    episode = start(dataset, task)
    request = next(episode)
    while True:
        assert request.gold_hint is not None
        steps += 1
        try:
            request = episode.send(request.gold_hint.reply)
        except StopIteration:
            return steps


async def record(asked: Recorded, dataset: Dataset, spec: str, base_url: str) -> Recorded:
    """Ask for one line."""
    further: dict[str, object] = {"grammar": BEGINNINGS[asked.way]} if asked.begun else {}
    sampling = Sampling(temperature=asked.temperature, max_tokens=MOST_TOKENS, seed=SEED, extra_body=further)
    overheard = Overheard(open_model(spec, ModelOptions(base_url=base_url, concurrency=AT_ONCE, sampling=sampling)))
    model: Model = overheard if asked.way == "native" else TextToolModel(overheard, DIALECTS[asked.way])
    episode = start(dataset, asked.task)
    request = next(episode)
    try:
        while True:
            assert request.gold_hint is not None
            reply = request.gold_hint.reply if request.step < asked.after else await model.ask(request)
            request = episode.send(reply)
    except StopIteration:
        return replace(asked, replies=tuple(overheard.replies))
    finally:
        await model.close()


async def record_all(given: argparse.Namespace, there: set[Recorded]) -> None:
    """Ask for what is not there. Each worker asks all of a session in one way, so that the server keeps its prompt."""
    assert MINI.embedded is not None
    datasets = [MINI.load(MINI.embedded, language) for language in LANGUAGES]
    waiting = iter(list(product(given.sessions, given.ways, datasets)))

    async def work(server: str) -> None:
        for session, way, dataset in waiting:
            for asked in wanted(given.name, dataset, session, way):
                if asked not in there:
                    line = await record(asked, dataset, given.model, server)
                    with given.out.open("ab") as file:
                        file.write(msgspec.json.encode(line) + b"\n")

    await asyncio.gather(*(work(server) for server in given.base_url * AT_ONCE))


def read(line: bytes) -> Recorded:
    return msgspec.json.decode(line, type=Recorded)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("-m", "--model", default="llamacpp", help="as for `toolgauge run`")
    parser.add_argument("--base-url", nargs="+", required=True, help="of one server, or of several of one kind")
    parser.add_argument("--name", default="SmolLM2-135M-Instruct", help="what the lines call the model")
    parser.add_argument("--sessions", nargs="+", default=SESSIONS, metavar="ID", help="of mini")
    parser.add_argument("--ways", nargs="+", default=WAYS, choices=WAYS)
    given = parser.parse_args()
    there = {read(line).key for line in given.out.read_bytes().splitlines()} if given.out.exists() else set()
    asyncio.run(record_all(given, there))


if __name__ == "__main__":
    main()

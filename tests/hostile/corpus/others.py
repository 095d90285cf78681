"""Smaller families: result files, sites, what a generation begins with, caches, `.env` files, places to write to."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tests.hostile.corpus.item import (
    EVIL,
    HUGE,
    Item,
    Surroundings,
    at,
    change_lines,
    fifo,
    folder,
    link,
    linked,
    nested,
    put,
    remove,
    sparse,
    written,
)
from tests.hostile.corpus.texts import any_file


def predictions() -> Iterator[Item]:
    """Result files of the original projects."""
    yield from any_file()
    for name, value in (("evil", EVIL), ("traversal", "../../../x"), ("huge", HUGE), ("surrogate", "\ud800")):
        yield _changed(f"id-{name}", "predictions.jsonl", put(value, "id"))
        yield _changed(f"model-{name}", "predictions.jsonl", put(value, "model_name"))
    yield _changed("result-text", "predictions.jsonl", put(EVIL, "result"))
    yield _changed("result-empty", "predictions.jsonl", put([], "result"))
    yield _changed("result-many", "predictions.jsonl", lambda line: line["result"].extend(line["result"][:1] * 200))
    output = ("result", 0, "inference_log", "step_0", "inference_output")
    calls = [{"function": {"name": EVIL, "arguments": EVIL}}] * 1000
    yield _changed("calls-many", "predictions.jsonl", put(calls, *output, "tool_calls"))
    yield _changed("content-evil", "predictions.jsonl", put(EVIL, *output, "content"))


def scripts() -> Iterator[Item]:
    """Replies for a scripted player."""
    yield from any_file()
    calls = [{"id": EVIL, "type": "function", "function": {"name": EVIL, "arguments": EVIL}}]
    reply = {"role": "assistant", "content": EVIL, "tool_calls": calls}
    yield _lines("reply-evil", [{"episode": "mini_0/0", "reply": reply}] * 3)
    yield _lines("reply-huge-step", [{"episode": "mini_0/0", "step": HUGE, "reply": reply}])
    yield _lines("reply-wrong", [{"episode": EVIL, "step": -1, "reply": {"content": 7, "tool_calls": "x"}}])


def scenarios() -> Iterator[Item]:
    """Personas and situations."""
    yield from any_file()
    for name, value in (("evil", EVIL), ("traversal", "../../../x"), ("surrogate", "\ud800"), ("long", "x" * 19_000)):
        yield _lines(f"id-{name}", [{"id": value, "persona": value, "utterances": [value]}])
    yield _lines("many", [{"id": f"s{number}", "persona": "p"} for number in range(50_000)])
    yield _lines("wrong-types", [{"id": 7, "persona": [], "utterances": "x"}])
    yield _lines("same-ids", [{"id": "x"}, {"id": "x"}])


def examples() -> Iterator[Item]:
    """Examples that guide later tasks."""
    yield from any_file()
    one: dict[str, Any] = {
        "id": "e", "pattern": "ordinal_from_front", "group": "reply", "subtype": "coreference", "kinds": ["single"],
        "earlier": [{"task": "a", "reply": "b"}], "task": "c", "meaning": "d",
    }  # fmt: skip
    for key in one:
        yield _lines(f"evil-{key}", [one | {key: EVIL}])
        yield _lines(f"huge-{key}", [one | {key: HUGE}])
    yield _lines("many", [one | {"id": f"e{number}"} for number in range(20_000)])
    yield _lines("long", [one | {"task": "x" * 1_000_000}])


def sites() -> Iterator[Item]:
    """What stands in the folder where a site is to go."""

    def site(name: str, spoil: Callable[[Surroundings], Any]) -> Item:
        def build(around: Surroundings) -> None:
            shutil.copytree(around.samples / "site", around.target)
            spoil(around)

        return Item(name, build)

    def foreign(around: Surroundings) -> None:
        around.target.mkdir()
        (around.target / "site.json").write_text('{"name": "somebody else\'s"}')
        (around.target / "thesis.txt").write_text("a life's work")

    def lying(around: Surroundings) -> None:
        names = [str(around.victim), "../../victims/start.sh", "thesis.txt", EVIL]
        (around.target / "site.json").write_text(json.dumps({"toolgauge": "0.1.0", "site": 3, "files": names}))
        (around.target / "thesis.txt").write_text("a life's work")

    yield Item("site-foreign", foreign, refused=True)
    yield site("site-lying", lying)
    yield site("site-with-a-file", lambda around: (around.target / "thesis.txt").write_text("a life's work"))
    yield site("site-link-inside", lambda around: link(around.target / "runs", around.victims))
    yield site("site-link-page", lambda around: link(around.target / "index.html", around.victim))
    yield site("site-link-mark", lambda around: link(around.target / "site.json", around.victim))
    yield site("site-fifo-mark", lambda around: fifo(around.target / "site.json"))
    yield site("site-gigabyte-mark", lambda around: sparse(around.target / "site.json"))
    yield site("site-deep-mark", lambda around: (around.target / "site.json").write_text(nested(100_000)))
    yield site("site-folder-mark", lambda around: folder(around.target / "site.json"))
    yield Item("site-is-a-link", lambda around: link(around.target, around.victims), refused=True)
    yield Item("site-is-a-file", written("x"), refused=True)
    yield Item("site-is-a-pipe", lambda around: fifo(around.target), refused=True)


def generations() -> Iterator[Item]:
    """Folders in which a generation is to go on."""

    def made(name: str, spoil: Callable[[Surroundings], Any], **expected: Any) -> Item:
        def build(around: Surroundings) -> None:
            shutil.copytree(around.samples / "generation", around.target)
            spoil(around)

        return Item(name, build, **expected)

    for name in ("run.json", "trajectories.jsonl", "captures.jsonl", "sessions.jsonl", "coverage.json", "dialogues.md"):
        yield made(f"link-{name}", linked(name))
        yield made(f"fifo-{name}", at(name, fifo))
        yield made(f"folder-{name}", at(name, folder))
        yield made(f"without-{name}", at(name, remove))
    for name in (".sessions.jsonl.new", "sessions.jsonl.part", ".coverage.json.new"):
        yield made(f"link-{name}", linked(name))
    for name in ("run.json", "trajectories.jsonl", "captures.jsonl"):
        yield made(f"gigabyte-{name}", at(name, sparse))
        yield made(f"no-json-{name}", at(name, lambda path: path.write_text("nonsense\n")))
    said = "trajectories.jsonl"
    yield made(
        "evil-said", lambda around: change_lines(around.target / said, put({"content": EVIL}, "steps", 0, "reply"))
    )
    yield made("evil-extra", lambda around: change_lines(around.target / said, put({EVIL: EVIL}, "extra")))
    yield made("newer", lambda around: change_lines(around.target / said, put(99, "version")), refused=True)

    unwhole = {"tasks": [{}], "entries": [{"speaker": EVIL}]}
    dialogues: dict[str, Any] = {"evil": EVIL, "list": [], "empty": {}, "torn": unwhole}
    for name, value in dialogues.items():
        for place in (("extra", "attempts", 0), ("extra",)):
            spoil = partial(change_lines, change=put(value, *place, "dialogue"))
            yield made(f"dialogue-{name}-{len(place)}", at(said, spoil))

    def foreign(around: Surroundings) -> None:
        around.target.mkdir()
        for name in ("sessions.jsonl", "dialogues.md", "thesis.txt"):
            (around.target / name).write_text("a life's work\n")

    yield Item("foreign-files", foreign)


def outputs() -> Iterator[Item]:
    """What stands in the place of a file that is to be written."""

    def below_a_file(around: Surroundings) -> None:
        around.target.parent.rmdir()
        around.target.parent.write_text("x")

    yield Item("out-link", lambda around: link(around.target, around.victim))
    yield Item("out-link-dangling", lambda around: link(around.target, around.victims / "new.sh"))
    yield Item("out-link-folder", lambda around: link(around.target, around.victims))
    yield Item("out-hard-link", lambda around: os.link(around.victim, around.target))
    yield Item("out-fifo", lambda around: fifo(around.target), refused=True)
    yield Item("out-below-a-file", below_a_file)
    yield Item("out-below-nothing", lambda around: around.target.parent.rmdir())


def caches() -> Iterator[Item]:
    """Folders for downloads, with something else in the places of the files."""
    from toolgauge.benchmarks.catalogue import source

    wanted = source("wildtoolbench")

    def cached(name: str, spoil: Callable[[Any, Surroundings], Any]) -> Item:
        def build(around: Surroundings) -> None:
            place = around.target / wanted.name / wanted.commit[:12]
            place.mkdir(parents=True)
            for file in wanted.files:
                spoil(place / file.safe_name, around)

        return Item(name, build)

    yield cached("cache-fifo", lambda path, around: fifo(path))
    yield cached("cache-device", lambda path, around: link(path, "/dev/zero"))
    yield cached("cache-victim", lambda path, around: link(path, around.victim))
    yield cached("cache-dangling", lambda path, around: link(path, around.victims / "new.sh"))
    yield cached("cache-gigabyte", lambda path, around: sparse(path))
    yield cached("cache-folder", lambda path, around: folder(path))
    yield cached("cache-garbage", lambda path, around: path.write_text(EVIL))
    yield Item("cache-is-a-file", written("x"))
    yield Item("cache-is-a-link", lambda around: link(around.target, around.victims))


def env_files() -> Iterator[Item]:
    """`.env` in the folder in which a command runs; the shell has the keys."""

    def env(name: str, text: str | bytes) -> Item:
        def build(around: Surroundings) -> None:
            content = text if isinstance(text, bytes) else text.replace("ELSEWHERE", around.elsewhere).encode()
            around.target.write_bytes(content)

        return Item(name, build)

    for provider in ("OPENAI", "ANTHROPIC"):
        yield env(f"env-url-{provider.lower()}", f"{provider}_BASE_URL=ELSEWHERE/v1\n")
        yield env(f"env-expansion-{provider.lower()}", f"{provider}_BASE_URL=ELSEWHERE/${{{provider}_API_KEY}}/v1\n")
        yield env(
            f"env-expansion-own-key-{provider.lower()}",
            f"{provider}_API_KEY=mine\n{provider}_BASE_URL=ELSEWHERE/${{SECRET_OF_THE_SHELL}}/v1\n",
        )
    yield env("env-proxy", "HTTP_PROXY=ELSEWHERE\nhttp_proxy=ELSEWHERE\nALL_PROXY=ELSEWHERE\nNO_PROXY=\n")
    yield env("env-raw-base", "TOOLGAUGE_RAW_BASE=ELSEWHERE\nTOOLGAUGE_CACHE=../victims\n")
    yield env("env-evil", f"{EVIL}={EVIL}\nOPENAI_BASE_URL={EVIL}\n")
    yield env("env-not-utf8", b"OPENAI_BASE_URL=\xff\xfe\n")
    yield env("env-nul", b"OPENAI_BASE_URL=\0\n" * 100)
    yield env("env-utf16", "OPENAI_API_KEY=x".encode("utf-16"))
    yield env("env-long", "OPENAI_API_KEY=" + "x" * 5_000_000)
    yield env("env-many", "".join(f"A{number}=x\n" for number in range(200_000)))
    yield Item("env-fifo", lambda around: fifo(around.target))
    yield Item("env-device", lambda around: link(around.target, "/dev/zero"))
    yield Item("env-folder", lambda around: folder(around.target))
    yield Item("env-gigabyte", lambda around: sparse(around.target))
    yield Item("env-victim", lambda around: link(around.target, around.victim))

    def above(around: Surroundings) -> None:
        (around.target.parent.parent / ".env").write_text(
            f"OPENAI_BASE_URL={around.elsewhere}/v1\nOPENAI_API_KEY=theirs\n"
        )

    yield Item("env-above", above, alone=True)


def _lines(name: str, lines: list[Any]) -> Item:
    def build(around: Surroundings) -> None:
        around.target.write_text("".join(json.dumps(line) + "\n" for line in lines))

    return Item(name, build)


def _changed(name: str, sample: str, change: Callable[[Any], Any]) -> Item:
    def build(around: Surroundings) -> None:
        shutil.copy(around.samples / sample, around.target)
        change_lines(around.target, change)

    return Item(name, build)

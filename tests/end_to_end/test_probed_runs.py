"""A run asks its test question, says what is wrong with the endpoint, and keeps what was found in run.json."""

from __future__ import annotations

import json
from pathlib import Path

from tests.end_to_end.playing import Player, call, command, replies
from tests.mockserver import Json, Server, completion, serve
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.models.probe import QUESTION, Finding, ProbeRecord
from toolgauge.report.pages.facts import facts_of
from toolgauge.results import open_run
from toolgauge.runs.manifest import read_manifest

HERMES = '<tool_call>\n{"name": "current_weather", "arguments": {"city": "Lisbon"}}\n</tool_call>'


class Answers:
    """A player of mini's annotated answers, who says this to the test question."""

    def __init__(self, says: Json) -> None:
        self.says, self.player = says, Player(replies(limit=1))

    def __call__(self, body: Json) -> Json:
        if all(message["content"] != QUESTION[1].content for message in body["messages"]):
            return self.player(body)
        usage = {"prompt_tokens": len(json.dumps(body)), "completion_tokens": 20}
        return completion(self.says if "tools" in body else {"content": "I cannot know."}) | {"usage": usage}


def run(folder: Path, server: Server, *more: object) -> tuple[int, str, Manifest]:
    arguments = command("run", "mini", "--limit", 1, "--out", "run", *more, server=server)
    code, _out, err = call(arguments, folder)
    return code, err, read_manifest(folder / "run")


def test_what_was_found_is_kept_and_told(tmp_path: Path) -> None:
    with serve(Answers({"content": HERMES})) as server:
        code, err, manifest = run(tmp_path, server)
    assert code == 0
    assert "Warning: openai/mock: answers, but its server left the call in the text, in the dialect hermes" in err
    assert "Suggestion: use --dialect hermes, or the tool-call parser of its server" in err
    assert isinstance(manifest.probe, ProbeRecord)
    assert manifest.probe.finding == Finding.CALLS_AS_TEXT
    assert manifest.probe.readers[0] == "hermes"
    assert manifest.probe.left == "left_in_text"
    assert manifest.probe.tokens_per_second > 0
    assert manifest.interface
    assert manifest.interface.replies == len(server.requests) - 1
    assert manifest.interface.written == manifest.interface.parsed > 0
    shown = {fact.heading: fact.value for fact in facts_of(open_run(tmp_path / "run"), "en")}
    assert shown["calls"].startswith(f"{manifest.interface.replies} replies; with a call as the model wrote it: ")
    assert shown["test question"].startswith("finding=calls_as_text, ")

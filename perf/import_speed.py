"""`toolgauge data import` of 10 and 100 MB of logs: processor time against reading the lines as JSON, and peak memory.

    python perf/import_speed.py --formats openai otel --megabytes 10 100

Memory may follow the longest line, not the size of the log.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from toolgauge.data.lines import read_lines

Line = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--formats", nargs="+", choices=list(LOGS), default=list(LOGS))
    parser.add_argument("--megabytes", nargs="+", type=int, default=[10, 100])
    parser.add_argument("--redact", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        conversations = list(_conversations(Path(folder)))
        print(f"{'format':10} {'MB':>5} {'conversations':>14} {'CPU s':>8} {'x JSON':>8} {'peak MB':>8}")
        for name in chosen.formats:
            for megabytes in chosen.megabytes:
                log = Path(folder, f"{name}-{megabytes}.jsonl")
                lines = _filled(log, LOGS[name], conversations, megabytes << 20)
                seconds, peak = _imported(log, name, Path(folder, f"{log.stem}-out"), chosen.redact)
                print(f"{name:10} {megabytes:5} {lines:14,} {seconds:8.1f} {seconds / _read(log):8.1f} {peak:8.0f}")
                log.unlink()


def _conversations(folder: Path) -> Iterator[Line]:
    """Conversations of the embedded benchmark, as its players have them."""
    for language in ("en", "zh"):
        run = folder / language
        _toolgauge("run", "mini", "--language", language, "-m", "builtin/oracle", "--out", str(run))
        _toolgauge("export", str(run), "--to", "openai")
        for _number, line in read_lines(run / "openai.jsonl"):
            yield line


def _openai(conversation: Line, name: str) -> Iterator[Line]:
    yield {"id": name, **conversation}


def _traces(conversation: Line, name: str) -> Iterator[Line]:
    """A request with a span for every reply, each of which repeats what was said before it."""
    messages = conversation["messages"]
    for place, message in enumerate(messages):
        if message["role"] == "assistant":
            said = {"input": _parts(messages[:place]), "output": _parts([message])}
            attributes = {f"gen_ai.{key}.messages": json.dumps(value) for key, value in said.items()}
            attributes |= {"gen_ai.operation.name": "chat", "gen_ai.conversation.id": name}
            attributes["gen_ai.tool.definitions"] = json.dumps(conversation.get("tools", []))
            pairs = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
            span = {"traceId": name, "spanId": f"{place:016x}", "attributes": pairs}
            span["startTimeUnixNano"] = str(1_750_000_000_000_000_000 + place)
            yield {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


def _parts(messages: list[Line]) -> list[Line]:
    made = []
    for message in messages:
        parts: list[Line] = [{"type": "text", "content": message["content"]}] if message["content"] else []
        if message["role"] == "tool":
            parts = [{"type": "tool_call_response", "id": message["tool_call_id"], "response": message["content"]}]
        for call in message.get("tool_calls", ()):
            parts.append({"type": "tool_call", "id": call["id"], **call["function"]})
        made.append({"role": message["role"], "parts": parts})
    return made


LOGS: dict[str, Callable[[Line, str], Iterator[Line]]] = {"openai": _openai, "otel": _traces}


def _filled(log: Path, lines: Callable[[Line, str], Iterator[Line]], conversations: list[Line], size: int) -> int:
    """Write a log of that size; how many conversations it has."""
    with log.open("w", encoding="utf-8") as file:
        for number in count():
            for line in lines(conversations[number % len(conversations)], f"{number:032x}"):
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
            if file.tell() >= size:
                return number + 1
    return 0


def _imported(log: Path, name: str, out: Path, redact: bool) -> tuple[float, float]:
    """Processor seconds and peak megabytes of an import in a process of its own."""
    command = ["data", "import", str(log), "--from", name, "--out", str(out), *(["--redact"] if redact else [])]
    process = subprocess.Popen([sys.executable, "-m", "toolgauge", *command], stdout=subprocess.DEVNULL)
    _pid, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"the import failed: {command}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def _read(log: Path) -> float:
    """Processor seconds of the standard module's reading."""
    began = time.process_time()
    with log.open(encoding="utf-8") as file:
        for line in file:
            json.loads(line)
    return time.process_time() - began


def _toolgauge(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "toolgauge", *arguments], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()

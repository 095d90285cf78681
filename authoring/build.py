"""Check the hand-written sessions in authoring/mini and compile them into WildToolBench's record layout.

    python authoring/build.py             check everything and write the package's sessions.jsonl
    python authoring/build.py travel home check only these domains, write nothing

README.md beside this file describes the format.
"""

from __future__ import annotations

import datetime
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import yaml

from plan import DOMAINS, plan

HERE = Path(__file__).parent
TARGET = HERE.parent / "src/toolgauge/benchmarks/dialogues/mini/sessions.jsonl"
LANGUAGES = ("en", "zh")
WEEKDAYS = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "zh": ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
}
TYPE_NAMES = {
    "single_tool": ("Single-Tool", "单工具"),
    "parallel_tools": ("Parallel Multi-Tool", "并行多工具"),
    "sequential_tools": ("Sequential Multi-Tool", "串行多工具"),
    "mixed_tools": ("Mixed Multi-Tool", "混合多工具"),
    "clarify": ("Clarify", "澄清"),
    "chat": ("Chat", "闲聊"),
}
REFERENCE_NAMES = {
    "coreference": ("Coreferential Reference", "指代理解"),
    "partial_information": ("Partial Information", "省略成分"),
    "long_range": ("Long-Range Dependency", "长期记忆"),
}
CALL_ANNOTATIONS = ("accept", "defaults", "optional")
REPLY_ANNOTATIONS = ("must_mention", "unservable")
"""Taken over as they are: docs/files.md#annotations."""
NUMBER_WORDS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "twelve": 12, "零": 0, "一": 1, "二": 2, "两": 2, "俩": 2, "三": 3, "四": 4, "五": 5, "六": 6,
    "七": 7, "八": 8, "九": 9, "十": 10, "十二": 12,
}  # fmt: skip


class Mistake(Exception):
    """Something in the hand-written files does not hold; the text says where."""


def localise(tree: Any, language: str) -> Any:
    """The tree in one language: every mapping with exactly the keys en and zh becomes its value."""
    if isinstance(tree, dict):
        if set(tree) == set(LANGUAGES):
            return tree[language]
        return {key: localise(value, language) for key, value in tree.items()}
    if isinstance(tree, list):
        return [localise(value, language) for value in tree]
    return tree


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every scalar below a value with its path (`a.b`, `a[0]`); empty containers count as leaves."""
    if isinstance(value, dict) and value:
        for key, part in value.items():
            yield from leaves(part, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value:
        for index, part in enumerate(value):
            yield from leaves(part, f"{path}[{index}]")
    else:
        yield path, value


def follow(value: Any, path: str) -> Any:
    """The part of a JSON value at a path such as `hotels[0].id`."""
    for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        value = value[name] if name else value[int(index)]
    return value


def _folded(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def said(value: Any, quote: str) -> bool:
    """Does a quoted piece of talk contain this scalar, apart from case, punctuation and number words?"""
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, int | float):
        numbers = {float(n.replace(",", "")) for n in re.findall(r"\d[\d,]*(?:\.\d+)?", quote)}
        words = re.findall(r"[a-z]+", quote.casefold()) + [w for w in NUMBER_WORDS if not w.isascii() and w in quote]
        return float(value) in numbers | {float(NUMBER_WORDS[w]) for w in words if w in NUMBER_WORDS}
    return _folded(str(value)) in _folded(quote)


class SessionChecker:
    """Compiles one session in one language and checks it on the way."""

    def __init__(self, session: dict[str, Any], tools: dict[str, Any], language: str) -> None:
        self.session, self.tools, self.language = localise(session, language), localise(tools, language), language
        self.now = datetime.datetime.fromisoformat(self.session["now"])
        self.place = self.session["id"]

    def fail(self, message: str) -> None:
        raise Mistake(f"{self.place} ({self.language}): {message}")

    def offered(self) -> list[dict[str, Any]]:
        names = self.session["tools"]
        if not 3 <= len(names) <= 9 or len(set(names)) != len(names):
            self.fail(f"offers {len(names)} tools; 3 to 9 different ones are expected")
        definitions = []
        for name in names:
            tool = self.tools[name]
            schema = {"type": "object", "properties": tool["parameters"], "required": tool.get("required", [])}
            jsonschema_rs.Draft202012Validator(_standard(schema))
            definitions.append(
                {
                    "type": "function",
                    "function": {"name": name, "description": tool["description"], "parameters": schema},
                }
            )
        return definitions

    def record(self) -> dict[str, Any]:
        """The fields of this language, named as on the Chinese side (no prefix)."""
        tasks = self.session["tasks"]
        side = 0 if self.language == "en" else 1
        answers = [self.nodes(index, task) for index, task in enumerate(tasks)]
        return {
            "env_info": f"{self.now:%Y-%m-%d %H:%M:%S} {WEEKDAYS[self.language][self.now.weekday()]}",
            "tools": self.offered(),
            "tasks": [task["user"] for task in tasks],
            "answer_list": answers,
            "task_types": [TYPE_NAMES[task["kind"]][side] for task in tasks],
            "turn_subtypes": [REFERENCE_NAMES[task["reference"]][side] for task in tasks[1:]],
            "messages": self.messages(tasks),
        }

    def messages(self, tasks: list[dict[str, Any]]) -> list[Any]:
        plain: list[Any] = []
        for index, task in enumerate(tasks):
            if index:
                plain.append("=====")
            plain.append({"role": "user", "content": task["user"]})
            for step in task.get("steps", []):
                if "ask" in step:
                    plain.append({"role": "assistant", "content": step["question"]})
                    plain.append({"role": "user", "content": step["answer"]})
            plain.append({"role": "assistant", "content": task["reply"]})
        return plain

    def nodes(self, task_index: int, task: dict[str, Any]) -> list[dict[str, Any]]:
        self.place = f"{self.session['id']} task {task_index}"
        steps = task.get("steps", [])
        nodes = []
        for index, step in enumerate(steps):
            self.place = f"{self.session['id']} task {task_index} step {index}"
            if any(not 0 <= other < index for other in step["after"]):
                self.fail(f"`after` must name earlier steps, not {step['after']}")
            nodes.append({"idx": index} | (self.ask(step) if "ask" in step else self.call(task_index, index, step)))
        self.place = f"{self.session['id']} task {task_index}"
        used = {other for step in steps for other in step["after"]}
        nodes.append(
            {
                "idx": len(steps),
                "action": {"name": "prepare_to_answer", "arguments": {"answer_type": "tool" if steps else "chat"}},
                "dependency_list": [index for index in range(len(steps)) if index not in used],
                "observation": task["reply"],
            }
            | {name: task[name] for name in REPLY_ANNOTATIONS if name in task}
        )
        if (shape := kind_of(steps)) != task["kind"]:
            self.fail(f"is written as {shape}, planned as {task['kind']}")
        return nodes

    def ask(self, step: dict[str, Any]) -> dict[str, Any]:
        wanted = []
        for item in step["ask"]:
            unknown = set(item["missing"]) - set(self.tools[item["tool"]].get("required", []))
            if item["tool"] not in self.session["tools"] or unknown or not item["missing"]:
                self.fail(f"asks for {sorted(unknown)} of {item['tool']}, which are no required parameters of it")
            wanted.append({"tool_name": item["tool"], "missing_required_parameters": item["missing"]})
        return {
            "action": {"name": "ask_user_for_required_parameters", "arguments": {"tool_list": wanted}},
            "dependency_list": step["after"],
            "observation": step["question"],
            "user_input": step["answer"],
        }

    def call(self, task_index: int, step_index: int, step: dict[str, Any]) -> dict[str, Any]:
        name, arguments = step["call"], step["args"]
        if name not in self.session["tools"]:
            self.fail(f"calls {name}, which the session does not offer")
        tool = self.tools[name]
        schema = {
            "type": "object",
            "properties": tool["parameters"],
            "required": tool.get("required", []),
            "additionalProperties": False,
        }
        for error in jsonschema_rs.Draft202012Validator(_standard(schema)).iter_errors(arguments):
            self.fail(f"{name}: {error.instance_path}: {error.message}")
        sources = step.get("sources", {})
        for path, value in leaves(arguments):
            if path:
                self.check_source(path, value, sources, task_index, step_index)
        return {
            "action": {"name": name, "arguments": {key: arguments[key] for key in sorted(arguments)}},
            "dependency_list": step["after"],
            "observation": step["result"],
            "argument_sources": {p: s if isinstance(s, list) else [s] for p, s in sources.items()},
        } | self.annotations(step, tool["parameters"])

    def annotations(self, step: dict[str, Any], parameters: dict[str, Any]) -> dict[str, Any]:
        """What a call says of what else is right; numbers of type float are compared as numbers without being told."""
        floats = dict.fromkeys(float_places(step["args"], {"properties": parameters}), "number")
        compare = floats | step.get("compare", {})
        fields = {name: step[name] for name in CALL_ANNOTATIONS if name in step}
        return fields | ({"compare": compare} if compare else {})

    def check_source(self, path: str, value: Any, sources: dict[str, Any], task_index: int, step_index: int) -> None:
        covering = [
            source for known, source in sources.items() if path == known or path.startswith((f"{known}.", f"{known}["))
        ]
        if not covering:
            self.fail(f"argument {path} has no source")
        flat = [one for source in covering for one in (source if isinstance(source, list) else [source])]
        reasons = [self.why_not(value, source, task_index, step_index) for source in flat]
        if all(reasons):
            self.fail(f"argument {path} = {value!r}: {'; '.join(r for r in reasons if r)}")

    def why_not(self, value: Any, source: dict[str, Any], task_index: int, step_index: int) -> str | None:
        """None where the source holds, else the reason."""
        origin = source["from"]
        tasks = self.session["tasks"]
        if origin == "knowledge":
            return None if source.get("note") else "a source `knowledge` needs a note"
        if origin == "clock":
            if source.get("quote") and not self.talked(source["quote"], task_index):
                return f"nobody said {source['quote']!r}"
            day = (self.now + datetime.timedelta(days=source["days"])).date().isoformat()
            text = str(value)
            return (
                None if text.startswith(day) or (len(text) >= 7 and day.startswith(text)) else f"the clock says {day}"
            )
        if source["task"] > task_index:
            return f"task {source['task']} comes later"
        if origin == "result":
            if source["task"] == task_index and source["step"] not in ancestors(tasks[task_index]["steps"], step_index):
                return f"step {source['step']} need not be done before this one (`after`)"
            try:
                there = follow(tasks[source["task"]]["steps"][source["step"]]["result"], source["path"])
            except (KeyError, IndexError, TypeError):
                return f"the result has no {source['path']}"
            found = any(value == part or (isinstance(part, str) and str(value) in part) for _, part in leaves(there))
            return None if found else f"the result holds {there!r}"
        if origin == "user":
            text = tasks[source["task"]]["user"]
        elif origin == "reply":
            text = tasks[source["task"]]["steps"][source["step"]]["answer"]
        else:
            return f"unknown kind of source {origin!r}"
        if source["quote"] not in text:
            return f"{source['quote']!r} does not stand in {text!r}"
        if source.get("reading") or said(value, source["quote"]):
            return None
        return f"{source['quote']!r} does not contain the value; say in `reading` how it is meant"

    def talked(self, quote: str, task_index: int) -> bool:
        tasks = self.session["tasks"][: task_index + 1]
        return any(
            quote in task["user"] or any(quote in s.get("answer", "") for s in task.get("steps", [])) for task in tasks
        )


def float_places(value: Any, schema: dict[str, Any], pointer: str = "") -> Iterator[str]:
    """JSON Pointers to the numbers of type float below a value."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from float_places(part, schema.get("properties", {}).get(key, {}), f"{pointer}/{key}")
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from float_places(part, schema.get("items", {}), f"{pointer}/{index}")
    elif schema.get("type") == "float":
        yield pointer


def ancestors(steps: list[dict[str, Any]], index: int) -> set[int]:
    found: set[int] = set()
    for other in steps[index]["after"]:
        found |= {other} | ancestors(steps, other)
    return found


def kind_of(steps: list[dict[str, Any]]) -> str:
    """The task type that the steps themselves show: groups are cut where a step needs a member of its group."""
    calls = [index for index, step in enumerate(steps) if "call" in step]
    if not calls:
        return "chat" if not steps else "clarify without a call"
    if any("ask" in step for step in steps):
        return "clarify"
    if len(calls) == 1:
        return "single_tool"
    groups: list[list[int]] = [[]]
    for index in calls:
        if set(steps[index]["after"]) & set(groups[-1]):
            groups.append([])
        groups[-1].append(index)
    wide = any(len(group) > 1 for group in groups)
    return "parallel_tools" if len(groups) == 1 else "mixed_tools" if wide else "sequential_tools"


def _standard(schema: Any) -> Any:
    """`float` spelled as JSON Schema spells it."""
    if isinstance(schema, dict):
        return {k: "number" if k == "type" and v == "float" else _standard(v) for k, v in schema.items()}
    return [_standard(part) for part in schema] if isinstance(schema, list) else schema


def compile_session(session: dict[str, Any], tools: dict[str, Any]) -> dict[str, Any]:
    planned = plan()[session["id"]]
    for index, (task, wanted) in enumerate(zip(session["tasks"], planned, strict=True)):
        if (task["kind"], task["reference"]) != tuple(wanted):
            raise Mistake(
                f"{session['id']} task {index}: {task['kind']}/{task['reference']}, planned is {'/'.join(wanted)}"
            )
    english = SessionChecker(session, tools, "en").record()
    chinese = SessionChecker(session, tools, "zh").record()
    return {"id": session["id"]} | {f"english_{key}": value for key, value in english.items()} | chinese


def compile_domain(domain: str) -> list[dict[str, Any]]:
    document = yaml.safe_load((HERE / "mini" / f"{domain}.yaml").read_text(encoding="utf-8"))
    return [compile_session(session, document["tools"]) for session in document["sessions"]]


def compiled() -> str:
    """The whole benchmark as JSON lines."""
    records = [record for domain in DOMAINS for record in compile_domain(domain)]
    if [record["id"] for record in records] != list(plan()):
        raise Mistake("the sessions are not exactly those of plan.py, in its order")
    return "".join(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n" for record in records)


def main(domains: list[str]) -> int:
    try:
        if domains:
            for domain in domains:
                print(f"{domain}: {len(compile_domain(domain))} sessions hold")
        else:
            text = compiled()
            TARGET.write_text(text, encoding="utf-8")
            print(f"{TARGET.name}: {text.count(chr(10))} sessions, {len(text.encode()) / 1e6:.2f} MB")
    except (Mistake, KeyError, jsonschema_rs.ValidationError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

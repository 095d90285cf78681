"""Benchmarks of conversations: what follows from `tasks`, `play` and `judge`, and the smallest ones that go wrong."""

from __future__ import annotations

import asyncio
import csv
import json
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import toolgauge
from tests.report.page_reading import read_chunk
from toolgauge.analysis.facet import Facet
from toolgauge.api import make_site
from toolgauge.benchmarks import certificates, registry
from toolgauge.benchmarks.benchmark import EpisodeFactory, Setup
from toolgauge.benchmarks.conversation import ConversationBenchmark, Outcome, Published, Role, Talk, Task
from toolgauge.chat import Reply, Request, ToolCall
from toolgauge.data.lines import read_lines
from toolgauge.episode import Step, drive
from toolgauge.errors import DataError, ProviderError, ToolgaugeError, UsageError
from toolgauge.models.builtin.models import BuiltinModel
from toolgauge.runs.budget import Budget
from toolgauge.runs.executors.executor import ProgressListener
from toolgauge.runs.executors.local import LocalExecutor, drive_aside

ADD = {
    "type": "function",
    "function": {"name": "add", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}},
}


@pytest.fixture(autouse=True)
def no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Benchmarks that are given as objects are known for the rest of the process: here, for one test."""
    monkeypatch.setattr(registry, "_GIVEN", {})


class Adding(ConversationBenchmark):
    """A world that adds up; each turn of the user's gives a number."""

    name = "adding-of-a-test"
    title = "Adding"
    roles: Mapping[str, Role] = {"user": Role("openai/gpt-4o", {"temperature": 0.5})}
    facets = (Facet(name="by_turns", of=lambda task: [str(len(task.data))], column="turns", title="By turns"),)

    def tasks(self, file: Path, language: str) -> Iterable[Task]:
        for _number, line in read_lines(file):
            calls = [ToolCall("c", "add", json.dumps({"n": n})) for n in line["turns"]]
            gold = tuple((Reply(None, (call,)), Reply("Done.")) for call in calls)
            yield Task(id=line["id"], text=f"add {line['turns']}", data=line["turns"], gold=gold, group=line["group"])

    def play(self, talk: Talk, task: Any, options: Any) -> str:
        messages: list[Any] = [{"role": "system", "content": "Add."}]
        totals = talk.record.setdefault("totals", [])
        for turn, number in enumerate(task.data):
            messages.append({"role": "user", "content": f"Add {number}."})
            reply = talk.ask(messages, [ADD], turn=turn)
            while reply.tool_calls:
                messages.append(reply.message())
                for call in reply.tool_calls:
                    totals.append((totals[-1] if totals else 0) + json.loads(call.arguments).get("n", 0))
                    messages.append({"role": "tool", "tool_call_id": call.id, "content": str(totals[-1])})
                reply = talk.ask(messages, [ADD], turn=turn)
            messages.append(reply.message())
        talk.ask([{"role": "user", "content": "Say goodbye."}], role="user", turn=len(task.data) - 1, hint="bye")
        return "the user left"

    def judge(self, task: Any, steps: Sequence[Step], record: Mapping[str, Any]) -> Mapping[str, Outcome]:
        due, got = [sum(task.data[: n + 1]) for n in range(len(task.data))], record["totals"]
        wrong = next((n for n, total in enumerate(due) if n >= len(got) or got[n] != total), None)
        states = ({"totals": due}, {"totals": got})
        parts = {"turns": 1 - (0 if wrong is None else len(due) - wrong) / len(due)}
        if wrong is None:
            return {"exact": Outcome(progress=(len(due), len(due)), parts=parts, states=states)}
        wrong_total = Outcome(
            mistake="wrong_total",
            detail="off",
            progress=(wrong, len(due)),
            parts=parts,
            turn=wrong,
            states=states,
        )
        return {"exact": wrong_total}


@pytest.fixture
def numbers(tmp_path: Path) -> Path:
    file = tmp_path / "numbers.jsonl"
    lines = ({"id": "a", "turns": [1, 2], "group": ""}, {"id": "b", "turns": [3], "group": "x"})
    file.write_text("\n".join(map(json.dumps, (*lines, {"id": "c", "turns": [3, 4, 5], "group": "x"}))))
    return file


def test_everything_follows_from_three_methods(numbers: Path, tmp_path: Path) -> None:
    runs = {
        model: toolgauge.run(Adding(), f"builtin/{model}", data=numbers, out=tmp_path / model, epochs=2)
        for model in ("oracle", "silent")
    }
    right, wrong = (run.metrics.scorings["exact"] for run in runs.values())
    assert right["overall"]["task_accuracy"].value == right["overall"]["progress"].value == 1
    assert {row: rate.value for row, rate in right["by_turns"].items()} == {"1": 1, "2": 1, "3": 1}
    assert right["parts"]["turns"].value == 1
    assert wrong["parts"]["turns"].value == 0
    assert {"task_pass@2", "task_pass^2"} <= right["passes"].keys()
    assert right["passes"]["task_pass^2"].ci95 is not None
    assert wrong["mistakes"]["wrong_total"].value == wrong["failed_turns"]["1"].value == 1
    assert toolgauge.score(tmp_path / "silent") == runs["silent"].metrics
    with (tmp_path / "silent" / "details.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert {row["turns"] for row in rows} == {"1", "2", "3"}
    assert all(row["reply"] != "bye" and row["exact_turns"] == "0.0" for row in rows), "the user's words are no answer"
    (found,) = toolgauge.compare(tmp_path / "oracle", tmp_path / "silent").comparisons
    assert found.scorings["exact"].tables["parts"]["turns"].difference == -1


def test_the_page_of_a_task_has_turns_and_both_states(numbers: Path, tmp_path: Path) -> None:
    toolgauge.run(Adding(), "builtin/silent", data=numbers, out=tmp_path / "silent")
    make_site([tmp_path / "silent"], tmp_path / "site")
    _key, chunk = read_chunk(next((tmp_path / "site" / "data" / "runs").rglob("0.js")))
    tasks: Any = {one["task_id"]: one for one in chunk["tasks"]}  # type: ignore[index]
    compared = tasks["c"]["comparison"]
    assert [(row["path"], row["state"]) for row in compared["state"]][:1] == [("totals[0]", "missing")]
    assert compared["failing"] == 0
    assert [turn.get("turn", 0) for turn in tasks["c"]["turns"]] == [0, 1, 2, 2]
    assert tasks["c"]["turns"][-1]["role"] == "user"


def test_the_data_are_fit_to_measure(numbers: Path) -> None:
    findings = Adding().data_files().check(numbers, None)
    assert not findings.problems
    assert not findings.uncertified


def test_the_same_in_every_driver(numbers: Path) -> None:
    benchmark = Adding()
    data = benchmark.load(numbers, "en")
    sample = benchmark.samples(data)[2]

    def oracle(request: Request) -> Reply:
        assert request.gold_hint is not None
        return request.gold_hint.reply

    def asked_one_by_one() -> Iterator[Any]:
        episode = benchmark.episode(data, sample)
        try:
            request = next(episode)
            while True:
                request = episode.send(oracle(request))
        except StopIteration as end:
            yield end.value

    async def answered(request: Request) -> Reply:
        return oracle(request)

    aside = asyncio.run(drive_aside(lambda: benchmark.episode(data, sample), answered))
    assert drive(benchmark.episode(data, sample), oracle) == next(asked_one_by_one()) == aside


def test_a_generator_that_nobody_ends_leaves_no_thread(numbers: Path) -> None:
    benchmark = Adding()
    data = benchmark.load(numbers, "en")
    before = threading.active_count()
    episodes = [benchmark.episode(data, benchmark.samples(data)[0]) for _ in range(5)]
    for episode in episodes:
        next(episode)
    assert threading.active_count() == before + 5
    episodes[0].close()
    del episodes, episode
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == before


def test_languages_that_there_are_not(numbers: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--language zh: adding-of-a-test has no such data, only en"):
        toolgauge.run(Adding(), "builtin/oracle", data=numbers, language="zh", out=tmp_path / "run")


def test_published_numbers_stand_on_the_board(numbers: Path, tmp_path: Path) -> None:
    (tmp_path / "published.csv").write_text("model,overall\nSome-Model-7B,61.5\n")

    class Printed(Adding):
        name = "printed-of-a-test"
        published = Published(file=tmp_path / "published.csv", title="A page", link="https://example.org", tasks=3)

    toolgauge.run(Printed(), "builtin/oracle", data=numbers, out=tmp_path / "run")
    make_site([tmp_path / "run"], tmp_path / "site")
    pages = [page.read_text(encoding="utf-8") for page in (tmp_path / "site").rglob("*.html")]
    assert any("Some-Model-7B" in page and "61.5" in page for page in pages)


class Recorded:
    """A sink in memory."""

    def __init__(self) -> None:
        self.finished: set[str] = set()
        self.begun: dict[str, list[Reply]] = {}
        self.trajectories: list[Any] = []
        self.failures: list[Any] = []

    def add_reply(self, key: str, step: int, reply: Reply, role: str) -> None: ...
    def forget_failures(self) -> None: ...
    def check(self) -> None: ...
    def add_trajectory(self, trajectory: Any) -> None:
        self.trajectories.append(trajectory)

    def add_failure(self, failure: Any) -> None:
        self.failures.append(failure)


def executed(benchmark: Adding, numbers: Path, model: Any, epochs: int = 1, concurrency: int = 32) -> Recorded:
    data, setup, sink = benchmark.load(numbers, "en"), Setup(epochs=epochs), Recorded()
    models = {"assistant": model, "user": BuiltinModel("builtin/user", lambda _: Reply("bye"))}
    budget = Budget(lambda _name, _usage: 0.0, None, None)
    executor = LocalExecutor(EpisodeFactory(benchmark, data, setup), models, sink, budget, ProgressListener())
    asyncio.run(executor.run(benchmark.samples(data, setup), concurrency))
    return sink


# The smallest benchmarks that go wrong.


def test_the_last_speaker_is_not_the_model(numbers: Path, tmp_path: Path) -> None:
    """The user says the last word; scores, details and pages tell what the model said."""
    run = toolgauge.run(Adding(), "builtin/oracle", data=numbers, out=tmp_path / "run")
    assert run.metrics.scorings["exact"]["overall"]["task_accuracy"].value == 1
    with (tmp_path / "run" / "details.csv").open(encoding="utf-8-sig") as file:
        assert {row["reply"] for row in csv.DictReader(file)} == {"Done."}


def test_a_role_that_nobody_plays_is_told_before_the_first_request(numbers: Path, tmp_path: Path) -> None:
    class Judged(Adding):
        name = "judged-of-a-test"
        roles: Mapping[str, Role] = {"judge": Role()}

    with pytest.raises(UsageError, match="nobody plays the role judge; name a model with --role judge="):
        toolgauge.run(Judged(), "ollama/x", data=numbers, out=tmp_path / "run", probe=False)
    assert not (tmp_path / "run").exists()


def test_a_role_that_is_not_declared_names_itself(numbers: Path) -> None:
    class Undeclared(Adding):
        roles: Mapping[str, Role] = {}

        def speakers(self, samples: Any) -> tuple[str, ...]:
            return ("assistant", "user")

    sink = executed(Undeclared(), numbers, BuiltinModel("builtin/x", lambda _: Reply("no")))
    assert {failure.reason for failure in sink.failures} == {"the role 'user' is not declared (declared: none)"}


@pytest.mark.parametrize("member", ["display", "report"])
def test_a_failing_display_is_one_line(numbers: Path, tmp_path: Path, member: str) -> None:
    class Pages:
        def __getattr__(self, name: str) -> Any:
            raise KeyError("oh")

    failing = {"display": lambda _self: Pages()} if member == "display" else {}
    made: Any = type("Failing", (Adding,), {"name": f"failing-{member}", "__module__": __name__, **failing})()
    toolgauge.run(made, "builtin/oracle", data=numbers, out=tmp_path / "run")
    if member == "report":
        type(made).report = lambda _self: 1 / 0
    told = rf"benchmark 'failing-{member}' .*failed: .* \(plugins/test_conversations.py:\d+\)"
    with pytest.raises(ToolgaugeError, match=told):
        make_site([tmp_path / "run"], tmp_path / "site")


def test_only_the_required_members(numbers: Path, tmp_path: Path) -> None:
    class Least(ConversationBenchmark):
        name = "least-of-a-test"

        def tasks(self, file: Path, language: str) -> Iterator[Task]:
            yield Task(id="a")

        def play(self, talk: Talk, task: Any, options: Any) -> str:
            talk.ask([{"role": "user", "content": "hello"}])
            return ""

        def judge(self, task: Any, steps: Any, record: Any) -> Mapping[str, Outcome]:
            return {"exact": Outcome()}

    run = toolgauge.run(Least(), "builtin/silent", data=numbers, out=tmp_path / "run")
    assert run.metrics.scorings["exact"]["overall"]["task_accuracy"].value == 1
    make_site([tmp_path / "run"], tmp_path / "site")


@pytest.mark.parametrize("busy", [False, True], ids=["waits", "computes"])
def test_a_blocking_world_holds_up_nobody(numbers: Path, busy: bool) -> None:
    class Slow(Adding):
        def play(self, talk: Talk, task: Any, options: Any) -> str:
            end = time.monotonic() + 0.1
            while busy and time.monotonic() < end:
                sum(range(1000))
            time.sleep(0 if busy else 0.1)
            return super().play(talk, task, options)

    threads: list[int] = []
    waited: list[float] = []

    class Timed(BuiltinModel):
        async def ask(self, request: Request) -> Reply:
            threads.append(threading.active_count())
            began = time.perf_counter()
            await asyncio.sleep(0.002)
            waited.append(time.perf_counter() - began)
            return self.play(request)

    model, before = Timed("builtin/x", lambda _: Reply("no")), threading.active_count()
    began = time.monotonic()
    sink = executed(Slow(), numbers, model, epochs=11)
    assert len(sink.trajectories) == 33
    assert busy or time.monotonic() - began < 2, "33 worlds one after the other take 3.3 s"
    assert sum(waited) / len(waited) < 0.3
    assert max(threads) <= before + 33
    deadline = time.monotonic() + 5
    while threading.active_count() > before + 1 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before + 1


def test_a_harness_that_catches_everything_does_not_swallow_the_provider(numbers: Path) -> None:
    class Greedy(Adding):
        def play(self, talk: Talk, task: Any, options: Any) -> str:
            try:
                return super().play(talk, task, options)
            except Exception:
                return "the agent failed"

    def refuse(_request: Request) -> Reply:
        raise ProviderError("no credit", True)

    sink = executed(Greedy(), numbers, BuiltinModel("builtin/x", refuse))
    assert not sink.trajectories
    assert {(failure.blame.value, failure.reason) for failure in sink.failures} == {("provider", "no credit")}


def test_what_roles_took_stands_beside_the_model(numbers: Path, tmp_path: Path) -> None:
    benchmark = Adding()
    result = toolgauge.run(benchmark, "builtin/oracle", data=numbers, out=tmp_path / "run")
    manifest = json.loads((tmp_path / "run" / "run.json").read_text())
    assert manifest["user_model"]["name"] == "builtin/oracle"
    assert manifest["user_sampling"] == {"temperature": 0.5}
    assert manifest["package"] == {"name": "Adding", "version": ""}
    file = tmp_path / "run" / "trajectories.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for line in lines:
        line["steps"][-1]["reply"]["usage"] = {"input_tokens": 10, "output_tokens": 2}
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    roles = toolgauge.score(tmp_path / "run").effort.roles
    assert roles
    assert (roles["user"].replies, roles["user"].input_tokens, roles["user"].output_tokens) == (3, 30, 6)
    assert roles["user"].dollars == 0
    assert result.metrics.effort.amounts["input_tokens"].total is None


def test_compare_says_that_the_packages_differ(numbers: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        toolgauge.run(Adding(), "builtin/oracle", data=numbers, out=tmp_path / name)
    file = tmp_path / "b" / "run.json"
    manifest = json.loads(file.read_text())
    wrapped = {"name": "Adding", "version": "2", "wraps": "adder", "wraps_version": "1.1"}
    file.write_text(json.dumps({**manifest, "package": wrapped}))
    (found,) = toolgauge.compare(tmp_path / "a", tmp_path / "b").comparisons
    assert [(note.a, note.b) for note in found.notes if note.code == "package"] == [("Adding", "Adding 2 (adder 1.1)")]


class Undeclared(Adding):
    """Asks a role that it does not declare."""

    name = "undeclared-of-a-test"
    roles: Mapping[str, Role] = {}

    def play(self, talk: Talk, task: Task, options: Any) -> str:
        talk.ask([{"role": "user", "content": "Hello"}], role="guest", hint="Hello")
        return "end"


class Unhinted(Adding):
    """Does not say what a perfect user says."""

    name = "unhinted-of-a-test"

    def play(self, talk: Talk, task: Task, options: Any) -> str:
        talk.ask([{"role": "user", "content": "Hello"}], role="user")
        return "end"


class Bare(Adding):
    """Judges without naming a scoring."""

    name = "bare-of-a-test"

    def judge(self, task: Task, steps: Sequence[Step], record: Mapping[str, Any]) -> Any:
        return Outcome()


class Leaving(Adding):
    """Leaves the process in the middle of a conversation."""

    name = "leaving-of-a-test"

    def play(self, talk: Talk, task: Task, options: Any) -> str:
        raise SystemExit(3)


def test_a_check_lists_conversations_that_cannot_be_played(numbers: Path) -> None:
    for benchmark, why in ((Undeclared(), "'guest' is not declared"), (Unhinted(), "a hint of talk.ask is missing")):
        found = benchmark.data_files().check(numbers, "en").uncertified
        assert len(found) == 3
        assert all(why in one.text for one in found)


class Misnamed(Adding):
    """Judges by a scoring that it does not declare."""

    name = "misnamed-of-a-test"

    def judge(self, task: Task, steps: Sequence[Step], record: Mapping[str, Any]) -> Mapping[str, Outcome]:
        return {"exakt": Outcome()}


class Flat(Adding):
    """Gives the replies of a perfect model without turns."""

    name = "flat-of-a-test"

    def tasks(self, file: Path, language: str) -> Iterable[Task]:
        replies: Any = [Reply("Done.")]
        yield Task(id="a", gold=replies)


class Mumbling(Adding):
    """Asks with a text in place of messages."""

    name = "mumbling-of-a-test"

    def play(self, talk: Talk, task: Task, options: Any) -> str:
        words: Any = ["Hello"]
        talk.ask(words)
        return "end"


def test_slips_of_an_author_are_told(numbers: Path, tmp_path: Path) -> None:
    with pytest.raises(ToolgaugeError, match="an Outcome for 'exakt'; `scorings` are exact"):
        toolgauge.run(Misnamed(), "builtin/oracle", data=numbers, out=tmp_path / "misnamed")
    with pytest.raises(DataError, match="task 'a': gold must hold a list of Reply for each turn"):
        toolgauge.run(Flat(), "builtin/oracle", data=numbers, out=tmp_path / "flat")
    failures = executed(Mumbling(), numbers, BuiltinModel("x", lambda _: Reply())).failures
    assert failures
    assert all(one.reason.startswith("talk.ask: messages and tools must be as OpenAI's API") for one in failures)


def test_errors_name_the_task_and_the_place(numbers: Path, tmp_path: Path) -> None:
    with pytest.raises(
        ToolgaugeError, match=r"failed at task '\S+': TypeError: judge must return an Outcome per scoring"
    ):
        toolgauge.run(Bare(), "builtin/oracle", data=numbers, out=tmp_path / "bare")
    toolgauge.run(Leaving(), "builtin/oracle", data=numbers, out=tmp_path / "leaving")
    failures = [line for _number, line in read_lines(tmp_path / "leaving" / "failures.jsonl")]
    assert failures
    assert all("SystemExit: 3" in line["reason"] and "test_conversations.py:" in line["reason"] for line in failures)


class Wordless(Adding):
    """Gives codes, and has no words for them."""

    name = "wordless-of-a-test"

    def judge(self, task: Task, steps: Sequence[Step], record: Mapping[str, Any]) -> Mapping[str, Outcome]:
        return {"exact": Outcome(mistake="wrong_total", code="off_by", parameters={"amount": 3}, turn=0)}


def test_a_code_without_words_is_shown_itself(numbers: Path, tmp_path: Path) -> None:
    toolgauge.run(Wordless(), "builtin/oracle", data=numbers, out=tmp_path / "run")
    scores = [line for _number, line in read_lines(tmp_path / "run" / "scores.jsonl")]
    assert {line["scorings"]["exact"]["detail"] for line in scores} == {"off_by, amount: 3"}
    make_site([tmp_path / "run"], tmp_path / "site")
    _key, chunk = read_chunk(next((tmp_path / "site" / "data" / "runs").rglob("0.js")))
    task: Any = next(one for one in chunk["tasks"] if one["task_id"] == "c")  # type: ignore[index]
    assert task["comparison"] == {"failing": 1, "turn": 0}, "a wrong turn is marked at its end"


class Endless(Adding):
    """Asks on and on, or computes for ever."""

    name = "endless-of-a-test"
    hangs = False

    def play(self, talk: Talk, task: Task, options: Any) -> str:
        while True:
            if self.hangs:
                threading.Event().wait(5)
            talk.ask([{"role": "user", "content": "And now?"}])


@pytest.mark.parametrize(
    ("hangs", "told"), [(False, "no end after 2,000 requests"), (True, "no request and no end within")]
)
def test_a_conversation_that_does_not_end(
    numbers: Path, hangs: bool, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificates, "PATIENCE", 0.2 if hangs else 60)
    monkeypatch.setattr(Endless, "hangs", hangs)
    (found,) = Endless().data_files().check(numbers, "en").uncertified
    assert told in found.text
    assert "the tasks behind it were not tried" in found.text


def test_of_several_benchmarks_in_one_module_the_one_that_failed_is_named(numbers: Path) -> None:
    for benchmark in (Wordless(), Bare(), Endless()):
        registry.benchmark_of(benchmark)
    wordless = registry.find_benchmark("wordless-of-a-test")
    with pytest.raises(ToolgaugeError, match="benchmark 'wordless-of-a-test'"), registry.blamed_by_place():
        wordless.episode(wordless.load(numbers, "en"), None).run(lambda _: Reply("no"))  # type: ignore[arg-type, attr-defined]

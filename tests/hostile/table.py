# ruff: noqa: E501 - a row of the table stays a row
"""Which verb reads what: every argument and option of the command line, and every hostile input for it.

`PLAIN` names those that are values and no places. All others have a `Use` at least, and a use is run with every item
of its family: so the table is complete, and an option that is new to the program has no row and fails the test.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from zlib import crc32

from tests.hostile.corpus import (
    corrections,
    data_files,
    endpoints,
    logs,
    mcp_servers,
    others,
    reviews,
    run_directories,
    tool_lists,
    trials,
)
from tests.hostile.corpus.item import Item

FAMILIES: dict[str, Callable[[], Iterator[Item]]] = {
    "run": run_directories.items,
    "sessions": data_files.sessions,
    "corrections": corrections.items,
    "acebench": data_files.folders,
    "tools": tool_lists.lists,
    "openapi": tool_lists.documents,
    "mcp": mcp_servers.items,
    "trial": trials.items,
    "runs": trials.folders,
    "predictions": others.predictions,
    "logs": logs.items,
    "conversations": logs.imported,
    "mappings": logs.mappings,
    "names": logs.names,
    "splits": logs.splits,
    "script": others.scripts,
    "scenarios": others.scenarios,
    "examples": others.examples,
    "site": others.sites,
    "generation": others.generations,
    "reviewed": reviews.items,
    "output": others.outputs,
    "cache": others.caches,
    "env": others.env_files,
    "endpoint": lambda: _behaviours(endpoints.BEHAVIOURS),
    "download": lambda: _behaviours(endpoints.FAILING),
}


@dataclass(frozen=True)
class Use:
    """A way in which a verb reads (or finds in the place where it writes) something of a family.

    verb, parameter: of the command line; `.env` and the address of downloads are parameters in this sense. command:
    its arguments, with {input} for the hostile thing, {url} for a server's address, {out} for an empty folder,
    {samples} for intact material, {format} for a format of exports (by turns), {moved} for a run whose data file is named with --data. writes: the places below
    which it may change files. interrupt_at: it runs until Ctrl-C, which comes when this stands in its output. stream:
    what it prints is the data themselves, for another program. slow: it takes so long that `make test` gives it only
    what no quicker use takes. partly: it does with a part of what the family has, also where the rest cannot be used.
    runs: how many times it asks the server for a whole run (a trial its baseline and its variant, verify the reference
    for two epochs): its limit of the processor's time is so many times the usual one.
    """

    name: str
    verb: str
    parameter: str
    family: str
    command: str
    writes: tuple[str, ...] = ("out",)
    interrupt_at: str = ""
    stream: bool = False
    slow: bool = False
    partly: bool = False
    runs: int = 1
    environment: dict[str, str] = field(default_factory=dict)


_ASK = "--set endpoint.timeout=1 --set endpoint.max_attempts=2 --set endpoint.patience=0 --set limits.probe=false"
_DEMO = "generate --demo --sample 2 --tasks 2"
_PYTHON = f"{sys.executable} -S"
_TRIAL = "tools trial mini -m builtin/keyword --limit 2"
_RUN = "run mini -m builtin/noisy?seed=3 --limit 2"
EXPORTS = ("csv", "xlsx", "parquet", "openai", "sharegpt", "markdown", "latex", "figures", "hf")
_IMPORTED = "score --benchmark wildtoolbench --language en"
_WILD = "--data {samples}/wildtoolbench.jsonl"
_RAW = {"TOOLGAUGE_RAW_BASE": "{url}"}
USES = (
    # Run directories
    Use("run", "run", "out", "run", f"{_RUN} --out {{input}}", ("input",)),
    Use("score", "score", "run", "run", "score {input}", ("input",)),
    Use("score-out", "score", "out", "run", f"{_IMPORTED} {_WILD} --predictions {{samples}}/predictions.jsonl --out {{input}}", ("input",)),
    Use("score-again", "score", "run", "run", "score {input} --dialect hermes --out {out}/again"),
    Use("score-again-out", "score", "out", "run", "score {samples}/run --dialect hermes --out {input}", ("input",)),
    Use("judge", "judge", "folder", "run", "judge {input} -m builtin/silent --limit 2", ("input",)),
    Use("analyse", "analyse", "runs", "run", "analyse {input} --json {out}/a.json"),
    Use("compare-first", "compare", "runs", "run", "compare {input} {samples}/run --json {out}/a.json"),
    Use("compare-second", "compare", "runs", "run", "compare {samples}/run {input}", ()),
    Use("report", "report", "runs", "run", "report {input} --out {out}/site", slow=True),
    Use("view", "view", "runs", "run", "view {input} --no-browser", (), "http://", slow=True),
    Use("export", "export", "runs", "run", "export {input} --to {format}", ("input",), slow=True),
    Use("review", "review", "place", "sessions", "review {input} --out {out}/r --export {out}/x --unapproved", slow=True),
    Use("review-serve", "review", "place", "sessions", "review {input} --out {out}/r --port 0", ("out",), "http://", slow=True),
    Use("review-generation", "review", "place", "generation", "review {input} --out {out}/r --export {out}/x --unapproved", slow=True, partly=True),
    Use("review-serve-generation", "review", "place", "generation", "review {input} --out {out}/r --port 0", ("out",), "http://", slow=True, partly=True),
    Use("review-out", "review", "out", "output", "review {samples}/wildtoolbench.jsonl --language en --out {input} --export {out}/x --unapproved", ("input", "out")),
    Use("review-look", "review", "out", "reviewed", "review {samples}/wildtoolbench.jsonl --language en --out {input} --export {out}/x --unapproved", ("out",)),
    Use("review-go-on", "review", "out", "reviewed", "review {samples}/wildtoolbench.jsonl --language en --out {input} --port 0 --reviewer Ada", ("input",), "http://", slow=True),
    Use("review-export", "review", "export", "output", "review {samples}/wildtoolbench.jsonl --language en --out {out}/r --export {input} --unapproved", ("input", "out")),
    Use("export-stream", "export", "runs", "run", "export {input} --to sharegpt --out -", (), stream=True),
    Use("gate", "gate", "run", "run", "gate {input} --min task_accuracy=0.5 --max-truncated 0.1", ()),
    Use("gate-baseline", "gate", "baseline", "run", "gate {samples}/run --baseline {input} --max-drop 0.1", (), slow=True),
    Use("verify", "verify", "benchmark", "run", "verify {input} --against {samples}/run", (), slow=True),
    Use("verify-out", "verify", "out", "run", "verify -m builtin/noisy?seed=3 --limit 2 --epochs 1 --against builtin/noisy --pass-undecided --out {input}", ("input",), slow=True),
    Use("verify-as", "verify", "against", "run", "verify -m builtin/noisy --against {input} --out {out}/v", slow=True),
    Use("verify-against", "verify", "against", "run", "verify {samples}/run --against {input}", (), slow=True),
    # Data
    Use("correct-file", "data correct", "file", "corrections", "data correct {input} --data {samples}/wildtoolbench.jsonl", ()),
    Use("correct", "data correct", "file", "sessions", "data correct {input}", ()),
    Use("correct-data", "data correct", "data", "sessions", "data correct {samples}/corrections.jsonl --data {input} --out {out}/c.jsonl"),
    Use("correct-since", "data correct", "since", "sessions", "data correct {samples}/wildtoolbench.jsonl --since {input} --out {out}/c.jsonl"),
    *(
        Use(f"import-{name}", "data import", "files", "logs", f"data import {{input}} --from {name} --out {{out}}/i --redact", partly=True)
        for name in ("auto", "openai", "sharegpt", "otel", "inspect", "claude-code", "langfuse")
    ),
    Use("score-conversations", "score", "run", "conversations", "score {input}", ("input",)),
    Use("import-mapped", "data import", "files", "logs", "data import {input} --from jsonl-map --map {samples}/log-map.toml --out {out}/i", partly=True),
    Use("import-map", "data import", "mapping", "mappings", "data import {samples}/log.jsonl --from jsonl-map --map {input} --out {out}/i", partly=True),
    Use("import-names", "data import", "redact_names", "names", "data import {samples}/log.jsonl --from openai --redact-names {input} --out {out}/i", partly=True),
    Use("import-splits", "data import", "splits", "splits", "data import {samples}/log.jsonl --from openai --splits {input} --out {out}/i", partly=True),
    Use("import-tools", "data import", "tools", "tools", "data import {samples}/log.jsonl --from openai --tools {input} --out {out}/i", slow=True, partly=True),
    Use("import-openapi", "data import", "tools", "openapi", "data import {samples}/log.jsonl --from openai --tools {input} --out {out}/i", slow=True, partly=True),
    Use("import-out", "data import", "out", "output", "data import {samples}/log.jsonl --from openai --out {input}", ("input",)),
    Use("export-conversations", "export", "runs", "logs", "export {input} --to openai --out {out}/x.jsonl", slow=True),
    Use("gate-data", "gate", "data", "sessions", "gate {moved} --data {input} --min task_accuracy=0.5", (), slow=True),
    Use("verify-data", "verify", "data", "sessions", "verify {moved} --against {samples}/moved-too --data {input}", (), slow=True),
    Use("data-check", "data check", "file", "sessions", "data check {input}", ()),
    Use("data-check-mmtb", "data check", "file", "sessions", "data check {input} --format mmtb", ()),
    Use("data-stats", "data stats", "file", "sessions", "data stats {input}", ()),
    Use("run-data", "run", "data", "sessions", "run wildtoolbench --data {input} -m builtin/noisy --out {out}/run"),
    Use("run-data-own", "run", "data", "sessions", "run mmtb --data {input} -m builtin/oracle --history own --out {out}/run"),
    Use("run-corrections", "run", "corrections", "corrections", f"run wildtoolbench {_WILD} -m builtin/noisy --limit 2 --corrections {{input}} --out {{out}}/run"),
    Use("verify-corrections", "verify", "corrections", "corrections", f"verify wildtoolbench {_WILD} -m builtin/noisy --against builtin/noisy --limit 2 --corrections {{input}} --out {{out}}/v", slow=True),
    Use("verify-run-data", "verify", "data", "sessions", "verify wildtoolbench --data {input} -m builtin/noisy --against builtin/noisy --out {out}/v", slow=True),
    Use("score-corrections", "score", "corrections", "corrections", "score {moved} --data {samples}/wildtoolbench.jsonl --corrections {input}", ("moved",)),
    Use("score-data", "score", "data", "sessions", "score {moved} --data {input}", ("moved",)),
    Use("judge-data", "judge", "data", "sessions", "judge {moved} -m builtin/silent --limit 2 --data {input}", ("moved",)),
    Use("score-predictions-data", "score", "data", "sessions", f"{_IMPORTED} --data {{input}} --predictions {{samples}}/predictions.jsonl --out {{out}}/s"),
    Use("analyse-data", "analyse", "data", "sessions", "analyse {moved} --data {input}", ()),
    Use("compare-data", "compare", "data", "sessions", "compare {moved} {samples}/moved-too --data {input}", ()),
    Use("report-data", "report", "data", "sessions", "report {moved} --data {input} --out {out}/site", slow=True),
    Use("view-data", "view", "data", "sessions", "view {moved} --data {input} --no-browser", (), "http://", slow=True),
    Use("export-sessions", "export", "runs", "sessions", "export {input} --to hf --out {out}/hf"),
    Use("export-generation", "export", "runs", "generation", "export {input} --to hf --out {out}/hf", partly=True),
    Use("export-data", "export", "data", "sessions", "export {moved} --to csv --data {input} --out {out}/a.csv"),
    Use("resume-from", "generate", "resume_from", "sessions", "generate --demo --resume-from {input} --out {out}/g"),
    Use("ace-check", "data check", "file", "acebench", "data check {input}", ()),
    Use("ace-stats", "data stats", "file", "acebench", "data stats {input}", ()),
    Use("ace-run", "run", "data", "acebench", "run acebench --data {input} -m builtin/oracle --out {out}/run"),
    # Result files of the original projects
    Use("predictions", "score", "predictions", "predictions", f"{_IMPORTED} {_WILD} --predictions {{input}} --out {{out}}/s"),
    Use("predictions-several", "score", "predictions", "predictions", f"{_IMPORTED} {_WILD} --predictions {{samples}}/predictions.jsonl {{input}} --out {{out}}/s"),
    Use("predictions-run", "score", "run", "run", f"{_IMPORTED} {_WILD} --predictions {{samples}}/predictions.jsonl {{input}} --out {{out}}/s"),
    Use("predictions-mmtb", "score", "predictions", "predictions", "score --benchmark mmtb --data {samples}/mmtb.jsonl --predictions {input} --out {out}/s"),
    Use("predictions-ace", "score", "predictions", "predictions", "score --benchmark acebench --data {samples}/acebench --predictions {input} --out {out}/s"),
    # What a scripted player says
    Use("run-script", "run", "model", "script", "run mini -m builtin/scripted?file={input} --limit 1 --out {out}/run"),
    Use("probe-script", "probe", "model", "script", "probe -m builtin/scripted?file={input}", ()),
    Use("verify-script", "verify", "model", "script", "verify -m builtin/scripted?file={input} --against builtin/noisy --limit 1 --out {out}/v", slow=True),
    Use("generate-script", "generate", "model", "script", f"{_DEMO} -m builtin/scripted?file={{input}} --out {{out}}/g", slow=True),
    # Tools
    Use("tools-check", "tools check", "file", "tools", "tools check {input}", ()),
    Use("tools-list", "tools list", "file", "tools", "tools list {input}", ()),
    Use("tools-show", "tools show", "file", "tools", "tools show {input}", ()),
    Use("generate-tools", "generate", "tools", "tools", f"{_DEMO} --tools {{input}} --out {{out}}/g", slow=True),
    Use("openapi", "tools import openapi", "spec", "openapi", "tools import openapi {input} --out {out}/t.jsonl"),
    Use("openapi-stream", "tools import openapi", "spec", "openapi", "tools import openapi {input}", (), stream=True),
    Use("mcp", "tools import mcp", "command", "mcp", f"tools import mcp --timeout 3 --out {{out}}/t.jsonl -- {_PYTHON} {{input}}"),
    Use("mcp-url", "tools import mcp", "url", "endpoint", "tools import mcp --url {url}/mcp --token-env OPENAI_API_KEY --timeout 2 --out {out}/t.jsonl"),
    # Trials of tools
    Use("trial", "tools trial", "file", "trial", f"{_TRIAL} --variants {{input}} --out {{out}}/t", slow=True),
    Use("trial-descriptions", "tools trial", "descriptions", "tools", f"{_TRIAL} --descriptions {{input}} --out {{out}}/t", slow=True),
    Use("trial-from", "tools trial", "source", "tools", f"{_TRIAL} --distractors 1 --from {{input}} --out {{out}}/t", slow=True),
    Use("trial-out", "tools trial", "out", "run", f"{_TRIAL} --distractors 1 --out {{input}}", ("input",), slow=True),
    Use("trial-again", "tools trial", "out", "runs", f"{_TRIAL} --distractors 1 --out {{input}}", ("input",), slow=True),
    Use("report-trial", "report", "runs", "runs", "report {input} --out {out}/site", slow=True, partly=True),
    Use("view-trial", "view", "runs", "runs", "view {input} --no-browser", (), "http://", slow=True, partly=True),
    Use("trial-data", "tools trial", "data", "sessions", "tools trial wildtoolbench --data {input} -m builtin/keyword --distractors 1 --out {out}/t", slow=True),
    Use("trial-corrections", "tools trial", "corrections", "corrections", f"tools trial wildtoolbench {_WILD} -m builtin/keyword --limit 2 --distractors 1 --corrections {{input}} --out {{out}}/t", slow=True),
    Use("trial-endpoint", "tools trial", "base_url", "endpoint", f"tools trial mini -m openai/m --base-url {{url}}/v1 --limit 1 --search {_ASK} --out {{out}}/t", slow=True, runs=2),
    Use("env-trial", "tools trial", ".env", "env", f"tools trial mini -m openai/m --limit 1 --distractors 1 {_ASK} --out {{out}}/t", slow=True),
    # What a generation begins with, and goes on from
    Use("scenarios", "generate", "scenarios", "scenarios", f"{_DEMO} --scenarios {{input}} --out {{out}}/g"),
    Use("examples", "generate", "examples", "examples", f"{_DEMO} --examples {{input}} --out {{out}}/g"),
    Use("generate", "generate", "out", "generation", f"{_DEMO} --out {{input}}", ("input",)),
    Use("estimate", "generate", "out", "generation", f"{_DEMO} --estimate --out {{input}}", ()),
    # Endpoints
    Use("probe", "probe", "base_url", "endpoint", "probe -m openai/m --base-url {url}/v1 --set endpoint.timeout=1", ()),
    Use("probe-messages", "probe", "base_url", "endpoint", "probe -m anthropic/m --base-url {url} --set endpoint.timeout=1", ()),
    Use("probe-agent", "probe", "agent", "endpoint", "probe --agent {url}/v1 --set endpoint.timeout=1", ()),
    Use("judge-endpoint", "judge", "base_url", "endpoint", f"judge {{moved}} -m openai/m --base-url {{url}}/v1 --limit 1 {_ASK}", ("moved",), slow=True),
    Use("run-endpoint", "run", "base_url", "endpoint", f"run mini -m openai/m --base-url {{url}}/v1 --limit 1 {_ASK} --out {{out}}/run", slow=True),
    Use("run-messages", "run", "base_url", "endpoint", f"run mini -m anthropic/m --base-url {{url}} --limit 1 {_ASK} --out {{out}}/run", slow=True),
    Use("run-agent", "run", "agent", "endpoint", f"run mini --agent {{url}}/v1 --limit 1 {_ASK} --out {{out}}/run", slow=True),
    Use("run-dialect", "run", "base_url", "endpoint", f"run mini -m openai/m --dialect hermes --base-url {{url}}/v1 --limit 1 {_ASK} --out {{out}}/run", slow=True),
    Use("run-user", "run", "role", "endpoint", f"run acebench --data {{samples}}/acebench --category agent -m builtin/oracle --role user=openai/m@{{url}}/v1 {_ASK} --out {{out}}/run", slow=True),
    Use("verify-endpoint", "verify", "base_url", "endpoint", f"verify -m openai/m --base-url {{url}}/v1 --against builtin/noisy --limit 1 {_ASK} --out {{out}}/v", slow=True),
    Use("verify-reference", "verify", "against", "endpoint", f"verify -m builtin/noisy --against openai/m@{{url}}/v1 --limit 1 {_ASK} --out {{out}}/v", slow=True, runs=2),
    Use("verify-user", "verify", "role", "endpoint", f"verify acebench --data {{samples}}/acebench --category agent -m builtin/oracle --against builtin/oracle --role user=openai/m@{{url}}/v1 {_ASK} --out {{out}}/v", slow=True),
    Use("generate-endpoint", "generate", "base_url", "endpoint", f"generate -m openai/m --base-url {{url}}/v1 --sample 1 --tasks 1 --attempts 1 {_ASK} --out {{out}}/g", slow=True),
    *(
        Use(f"generate-{role}", "generate", "role", "endpoint", f"generate --demo --role {role}=openai/m@{{url}}/v1 --paths multi,multi --attempts 1 {_ASK} --out {{out}}/g", slow=True)
        for role in ("user", "planner", "tool", "agent", "checker")
    ),
    # Downloads and their cache
    Use("data-fetch", "data fetch", "name", "download", "data fetch wildtoolbench --cache-dir {out}/cache", environment=_RAW),
    Use("run-fetch", "run", "benchmark", "download", "run wildtoolbench -m builtin/oracle --limit 1 --out {out}/run", ("out", "home"), environment=_RAW, slow=True),
    Use("cache-list", "data list", "cache_dir", "cache", "data list --cache-dir {input}", ()),
    Use("cache-fetch", "data fetch", "cache_dir", "cache", "data fetch wildtoolbench --offline --cache-dir {input}", ()),
    Use("cache-check", "data check", "cache_dir", "cache", "data check wildtoolbench --cache-dir {input}", ()),
    Use("cache-stats", "data stats", "cache_dir", "cache", "data stats wildtoolbench --cache-dir {input}", ()),
    # Places to write to
    Use("report-out", "report", "out", "site", "report {samples}/run --out {input}", ("input",)),
    Use("stats-figures", "data stats", "figures", "output", "data stats {samples}/wildtoolbench.jsonl --figures {input}", ("input",)),
    Use("analyse-json", "analyse", "json", "output", "analyse {samples}/run --json {input}", ("input",)),
    Use("gate-json", "gate", "json", "output", "gate {samples}/run --min task_accuracy=0.5 --json {input}", ("input",)),
    Use("gate-junit", "gate", "junit", "output", "gate {samples}/run --min task_accuracy=0.5 --junit {input}", ("input",)),
    Use("verify-json", "verify", "json", "output", "verify {samples}/run --against {samples}/perfect --json {input}", ("input",)),
    Use("probe-json", "probe", "json", "output", "probe -m builtin/oracle --json {input}", ("input",)),
    Use("correct-out", "data correct", "out", "output", "data correct {samples}/moved-new.jsonl --since {samples}/wildtoolbench.jsonl --out {input}", ("input",)),
    Use("compare-json", "compare", "json", "output", "compare {samples}/run {samples}/perfect --json {input}", ("input",)),
    *(Use(f"export-{to}-out", "export", "out", "output", f"export {{samples}}/run --to {to} --out {{input}}", ("input",)) for to in EXPORTS),
    Use("openapi-out", "tools import openapi", "out", "output", "tools import openapi {samples}/openapi.yaml --out {input}", ("input",)),
    Use("mcp-out", "tools import mcp", "out", "output", f"tools import mcp --out {{input}} -- {_PYTHON} {{samples}}/server.py", ("input",)),
    Use("try-out", "try", "out", "output", "try http://127.0.0.1:9/v1 --model m --out {input}", ("input",)),
    Use("serve-log", "serve", "log", "output", "serve m --engine vllm --port 0 --log {input}", ("input",)),
    # `.env` in the folder where a command runs
    Use("env-probe", "probe", ".env", "env", "probe -m openai/m --set endpoint.timeout=1", ()),
    Use("env-probe-messages", "probe", ".env", "env", "probe -m anthropic/m --set endpoint.timeout=1", ()),
    Use("env-run", "run", ".env", "env", f"run mini -m openai/m --limit 1 {_ASK} --out {{out}}/run", slow=True),
    Use("env-judge", "judge", ".env", "env", f"judge {{moved}} -m openai/m --limit 1 {_ASK}", ("moved",), slow=True),
    Use("env-verify", "verify", ".env", "env", f"verify -m openai/m --against builtin/noisy --limit 1 {_ASK} --out {{out}}/v", slow=True),
    Use("env-generate", "generate", ".env", "env", f"generate -m openai/m --sample 1 --tasks 1 --attempts 1 {_ASK} --out {{out}}/g", slow=True),
    Use("env-models", "models", ".env", "env", "models", ()),
    Use("env-score", "score", ".env", "env", "score {moved} --data {samples}/wildtoolbench.jsonl", ("moved",)),
    Use("env-list", "data list", ".env", "env", "data list", ()),
    Use("env-agents", "agents mcp", ".env", "env", "agents mcp http://127.0.0.1:1/mcp/key", ()),
)  # fmt: skip

_REACHING = "temperature max_tokens dialect role set_ help_all concurrency max_cost engine "
_ASKING = f"{_REACHING}language seed overwrite "
PLAIN = {
    "run": _ASKING + "model limit ids epochs scoring",
    "score": "benchmark language name dialect scoring tables offline overwrite",
    "judge": "temperature max_tokens dialect set_ help_all concurrency max_cost engine seed model limit general",
    "analyse": "scoring top overwrite",
    "compare": "scoring same_model everything overwrite",
    "gate": "minimum max_drop max_truncated max_unscored scoring pass_undecided overwrite",
    "verify": _ASKING + "agent margin pass_undecided limit ids epochs",  # an agent is asked as `run --agent` asks it
    "report": "overwrite",
    "view": "port browser",
    "export": "to scoring only language publisher evidence as_published overwrite",
    "review": "reviewer port host language unapproved overwrite",
    "generate": _ASKING
    + "estimate tasks model paths sample per_path candidates checks attempts demo vague ablation accept_flagged captures",
    "probe": "model dialect temperature max_tokens seed set_ help_all overwrite",
    "try": "model name minutes max_tokens",
    "models": "provider",
    # The model and the template are the engine's: toolgauge hands their names on. Of a GGUF file it reads the head
    # (tests/models/test_engines.py).
    "serve": "model extra engine host port context_length slots parser template trust_remote_code wait print_only",
    "data list": "",
    "data fetch": "offline",
    "data check": "data_format language",
    "data stats": "data_format language overwrite",
    "data correct": "reason source overwrite",
    "data import": "log_format redact language limit overwrite judge",  # asks as `judge` does, at its usual limits
    "tools check": "strict most",
    "tools list": "language",
    "tools show": "ids language",
    "tools import openapi": "tag path method include exclude limit deprecated overwrite",
    "tools import mcp": "env token_env include exclude timeout overwrite",
    # What it reads and what is answered, it passes on as it is (tests/agents/test_conversation.py).
    "agents mcp": "address",
    "tools trial": _ASKING + "agent benchmark model distractors offered search limit ids epochs",
}
"""Verb -> its parameters that name no file, folder or address."""


@dataclass(frozen=True)
class Cell:
    use: Use
    item: Item
    usual: bool
    """It belongs to `make test`; the others to `make hostile` alone."""

    @property
    def id(self) -> str:
        return f"{self.use.name}:{self.item.name}"


@cache
def cells() -> tuple[Cell, ...]:
    """The whole table, and which part of it is usual."""
    made = {family: tuple(items()) for family, items in FAMILIES.items()}
    table = [(use, item) for use in USES for item in made[use.family] if not _waits(use, item)]
    usual = _covering(table)
    return tuple(Cell(use, item, (use.name, item.name) in usual) for use, item in table)


def _covering(table: list[tuple[Use, Item]]) -> set[tuple[str, str]]:
    """What `make test` takes: every verb on every family that it reads, and inputs in whose names every word of any
    input's name occurs.

    An input's name says what is wrong with it and where ("trajectory-epoch-negative"), so every kind of damage and
    every place is met at least once. Each input goes to the use that has the fewest, quick ones first.
    """
    takers: dict[str, list[Use]] = {}
    for use, item in table:
        if not (use.family == "download" and item.name == "server-endless-slow"):  # 15 s
            takers.setdefault(item.name, []).append(use)
    load = Counter[str]()
    chosen = set()
    for name in _covering_names(list(takers)):
        use = min(takers[name], key=lambda one: (one.slow, load[one.name]))
        load[use.name] += 1
        chosen.add((use.name, name))
    met = {(use.verb, use.family) for use in USES if load[use.name]}
    for use in sorted(USES, key=lambda one: one.slow):
        if (use.verb, use.family) not in met:
            met.add((use.verb, use.family))
            names = [item.name for one, item in table if one is use]
            chosen.add((use.name, names[crc32(use.name.encode()) % len(names)]))
    return chosen


def _covering_names(names: list[str]) -> list[str]:
    """Few of these names, the ones with the most new words first, until every word has occurred."""
    left = {word for name in names for word in name.split("-")}
    chosen = []
    while left:
        best = max(names, key=lambda name: len(left.intersection(name.split("-"))))
        left.difference_update(best.split("-"))
        chosen.append(best)
    return chosen


def _waits(use: Use, item: Item) -> bool:
    """Left out: a download gives a silent server a minute, three times, and no option makes that shorter."""
    return use.family == "download" and item.name == "server-never"


def _behaviours(behaviours: dict[str, endpoints.Behaviour]) -> Iterator[Item]:
    """Servers as items: nothing is built, the address tells the server what to do."""
    for name in behaviours:
        yield Item(f"server-{name}", lambda around: None, refused=name not in endpoints.ANSWERING)
    for name in endpoints.REDIRECTS:
        yield Item(f"server-{name}", lambda around: None)

"""MCP servers over stdio that do what they should not: each is a small script without libraries."""

from __future__ import annotations

from collections.abc import Iterator

from tests.hostile.corpus.item import EVIL, Item, Surroundings
from tests.hostile.corpus.schemas import hostile_schemas

_SERVER = """
import json, os, subprocess, sys, time
EVIL = {evil!r}
SCHEMA = {schema}
KIND = {kind!r}
OBJECT = {{"type": "object", "properties": {{"name": {{"type": "string"}}}}}}

def send(value):
    sys.stdout.write(json.dumps(value) + "\\n")
    sys.stdout.flush()

def tool(name="f", schema=OBJECT, description="Does."):
    return {{"name": name, "description": description, "inputSchema": schema}}

def tools(params):
    if KIND == "schema":
        return {{"tools": [tool(schema=SCHEMA), tool("g"), tool("h")]}}
    if KIND == "evil":
        return {{"tools": [tool(EVIL, description=EVIL), tool("\\ud800"), tool("../../../x")]}}
    if KIND == "environment":
        return {{"tools": [tool(description=json.dumps(dict(os.environ)))]}}
    if KIND == "endless-pages":
        return {{"tools": [tool()], "nextCursor": str(time.time())}}
    if KIND == "many":
        return {{"tools": [tool("f%d" % n) for n in range(20000)]}}
    if KIND == "wrong":
        return {{"tools": [7, None, {{"name": []}}], "nextCursor": {{}}}}
    if KIND == "nothing":
        return {{}}
    return {{"tools": [tool()]}}

if KIND == "flood-errors":
    for _ in range(200000):
        sys.stderr.write(EVIL * 10 + "\\n")
if KIND == "endless-line":
    while True:
        sys.stdout.write("x" * 1000000)
if KIND == "endless-lines":
    while True:
        sys.stdout.write("x" * 1000 + "\\n")
if KIND == "child":
    subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
if KIND == "deaf":
    import signal
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)
if KIND == "ends":
    sys.exit(3)
if KIND == "says-and-ends":
    sys.stderr.write(EVIL + json.dumps(dict(os.environ)) + "\\n")
    sys.exit(3)
for line in sys.stdin:
    if KIND == "silent":
        continue
    if KIND == "garbage":
        sys.stdout.write(EVIL + "\\n\\xff\\n[1]\\n{{}}\\n")
        sys.stdout.flush()
        continue
    question = json.loads(line)
    if "id" not in question:
        continue
    if KIND == "error":
        send({{"jsonrpc": "2.0", "id": question["id"], "error": {{"code": -1, "message": EVIL}}}})
    elif question["method"] == "initialize":
        versions = {{"huge-version": "9" * 100000, "newer": "2999-01-01"}}
        version = versions.get(KIND, question["params"]["protocolVersion"])
        info = {{"name": EVIL if KIND == "evil" else "s", "version": "1"}}
        answer = {{"protocolVersion": version, "capabilities": {{"tools": {{}}}}, "serverInfo": info}}
        send({{"jsonrpc": "2.0", "id": question["id"], "result": answer}})
    elif question["method"] == "tools/list":
        send({{"jsonrpc": "2.0", "id": question["id"], "result": tools(question.get("params"))}})
    else:
        send({{"jsonrpc": "2.0", "id": question["id"], "error": {{"code": -32601, "message": "no such method"}}}})
"""
KINDS = (
    "evil", "environment", "endless-pages", "many", "wrong", "nothing", "flood-errors", "endless-line", "endless-lines",
    "child", "deaf", "ends", "says-and-ends", "silent", "garbage", "error", "huge-version", "newer",
)  # fmt: skip


def items() -> Iterator[Item]:
    for kind in KINDS:
        yield _script(f"mcp-{kind}", kind)
    for name, schema in hostile_schemas().items():
        yield _script(f"mcp-schema-{name}", "schema", schema)


def _script(name: str, kind: str, schema: object = None) -> Item:
    def build(around: Surroundings) -> None:
        around.target.write_text(_SERVER.format(evil=EVIL, kind=kind, schema=repr(schema)))

    return Item(name, build)

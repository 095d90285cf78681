"""A batch endpoint on the loopback that behaves as OpenAI documents it: files, batches, and what may go wrong.

    with serve_batches(answer) as server:
        ... openai/<model> with base URL server.base_url, --batch ...
        server.batches   # what was submitted, in order

It refuses what the documentation says is refused: another purpose, lines that are no requests, ids that come twice,
two models in one file, an endpoint that is not the lines'.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.mockserver import completion
from tests.serving import in_background

Json = dict[str, Any]


@dataclass(frozen=True)
class Script:
    """How one batch goes. looks: how often it is looked at before it is over. answered: how many of its requests are
    answered before it ends, where not all. fault: of a request's body, an error line instead of its answer: an HTTP
    status, or a code of the batch itself. trouble: why a batch failed."""

    status: str = "completed"
    looks: int = 1
    answered: int | None = None
    fault: Callable[[Json], int | str | None] = lambda _body: None
    trouble: str = ""


@dataclass
class FakeBatch:
    """A batch as submitted: id, its file, its requests."""

    id: str
    file: str
    requests: list[Json]
    script: Script
    looks: int = 0
    outputs: list[Json] = field(default_factory=list)
    errors: list[Json] = field(default_factory=list)


@dataclass
class BatchServer:
    base_url: str
    answer: Callable[[Json], Json]
    scripts: Callable[[int], Script]
    files: dict[str, bytes] = field(default_factory=dict)
    batches: list[FakeBatch] = field(default_factory=list)
    direct: list[Json] = field(default_factory=list)
    downloads: list[str] = field(default_factory=list)
    authorizations: set[str] = field(default_factory=set)
    swallow: set[str] = field(default_factory=set)
    """Paths whose next answer is lost: the work is done, and the caller is told 500."""

    @property
    def bodies(self) -> list[Json]:
        """The requests of all batches, in order."""
        return [line["body"] for batch in self.batches for line in batch.requests]


@contextmanager
def serve_batches(
    answer: Callable[[Json], Json], scripts: Callable[[int], Script] = lambda _number: Script()
) -> Iterator[BatchServer]:
    """answer: request body -> assistant message. scripts: the number of a batch, from 0, -> how it goes."""
    server = BatchServer("", answer, scripts)
    app = web.Application(client_max_size=2**28, middlewares=[_noting(server)])
    routes = _Routes(server)
    for prefix in ("/v1", "/openai"):  # Azure's resources stand under the second
        app.router.add_post(f"{prefix}/files", routes.upload)
        app.router.add_get(prefix + "/files/{id}/content", routes.content)
        app.router.add_post(f"{prefix}/batches", routes.create)
        app.router.add_get(f"{prefix}/batches", routes.listed)
        app.router.add_get(prefix + "/batches/{id}", routes.retrieve)
    app.router.add_post("/v1/chat/completions", routes.ask)
    with in_background(app) as (address, _loop):
        server.base_url = f"{address}/v1"
        yield server


def _noting(server: BatchServer) -> Any:
    @web.middleware
    async def note(request: web.Request, handler: Any) -> web.StreamResponse:
        server.authorizations.add(request.headers.get("Authorization", ""))
        response: web.StreamResponse = await handler(request)
        if request.path in server.swallow and request.method == "POST":
            server.swallow.remove(request.path)
            return web.json_response({"error": {"message": "the answer got lost"}}, status=500)
        return response

    return note


class _Routes:
    def __init__(self, server: BatchServer) -> None:
        self.server = server

    async def ask(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.server.direct.append(body)
        return web.json_response(completion(self.server.answer(body)))

    async def upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        part = form["file"]
        if form.get("purpose") != "batch" or not isinstance(part, web.FileField):
            return _refused("purpose must be batch")
        if not part.filename.endswith(".jsonl"):
            return _refused("the file must be .jsonl")
        name = f"file-{len(self.server.files)}"
        self.server.files[name] = part.file.read()
        return web.json_response({"id": name, "object": "file", "purpose": "batch"})

    async def content(self, request: web.Request) -> web.Response:
        name = request.match_info["id"]
        self.server.downloads.append(name)
        if name not in self.server.files:
            return web.json_response({"error": {"message": f"no file {name}"}}, status=404)
        return web.Response(body=self.server.files[name], content_type="application/octet-stream")

    async def create(self, request: web.Request) -> web.Response:
        body = await request.json()
        lines = [json.loads(line) for line in self.server.files[body["input_file_id"]].splitlines()]
        if trouble := _invalid(lines, body):
            return _refused(trouble)
        number = len(self.server.batches)
        batch = FakeBatch(f"batch_{number}", body["input_file_id"], lines, self.server.scripts(number))
        self.server.batches.append(batch)
        return web.json_response(self._object(batch))

    async def listed(self, request: web.Request) -> web.Response:
        newest = [self._object(batch) for batch in reversed(self.server.batches)]
        return web.json_response({"object": "list", "data": newest[: int(request.query.get("limit", 20))]})

    async def retrieve(self, request: web.Request) -> web.Response:
        batch = next((one for one in self.server.batches if one.id == request.match_info["id"]), None)
        if batch is None:
            return web.json_response({"error": {"message": "no such batch"}}, status=404)
        batch.looks += 1
        if batch.looks == batch.script.looks:
            self._end(batch)
        return web.json_response(self._object(batch))

    def _end(self, batch: FakeBatch) -> None:
        if batch.script.status == "failed":
            return
        many = len(batch.requests) if batch.script.answered is None else batch.script.answered
        for number, line in enumerate(batch.requests):
            fault = batch.script.fault(line["body"])
            if number >= many:
                code = f"batch_{batch.script.status}"
                batch.errors.append(
                    _line(line, None, {"code": code, "message": f"This request is {batch.script.status}."})
                )
            elif isinstance(fault, int):
                body = {"error": {"message": f"status {fault}", "code": None}}
                batch.errors.append(_line(line, {"status_code": fault, "body": body}, None))
            elif fault == "nothing":
                continue
            elif fault is not None:
                batch.errors.append(_line(line, None, {"code": fault, "message": fault}))
            else:
                answer = completion(self.server.answer(line["body"]))
                batch.outputs.append(_line(line, {"status_code": 200, "body": answer}, None))
        batch.outputs.reverse()  # the order of answers is nobody's promise
        for kind, lines in (("out", batch.outputs), ("err", batch.errors)):
            self.server.files[f"{batch.id}-{kind}"] = "".join(json.dumps(line) + "\n" for line in lines).encode()

    def _object(self, batch: FakeBatch) -> Json:
        over = batch.looks >= batch.script.looks
        return {
            "id": batch.id,
            "object": "batch",
            "input_file_id": batch.file,
            "status": batch.script.status if over else "in_progress",
            "output_file_id": f"{batch.id}-out" if batch.outputs else None,
            "error_file_id": f"{batch.id}-err" if batch.errors else None,
            "errors": {"data": [{"message": batch.script.trouble}]} if over and batch.script.trouble else None,
            "request_counts": {
                "total": len(batch.requests),
                "completed": len(batch.outputs),
                "failed": len(batch.errors),
            },
        }


def _line(line: Json, response: Json | None, error: Json | None) -> Json:
    return {"id": "batch_req_1", "custom_id": line["custom_id"], "response": response, "error": error}


def _invalid(lines: list[Json], body: Json) -> str | None:
    ids = [line["custom_id"] for line in lines]
    if len(set(ids)) != len(ids) or any(len(one) > 64 for one in ids):
        return "custom_id must be unique and at most 64 characters"
    if any(line["method"] != "POST" or line["url"] != body["endpoint"] for line in lines):
        return "lines must be for the endpoint of the batch"
    if len({line["body"]["model"] for line in lines}) != 1:
        return "one model per file"
    return None if body["completion_window"] == "24h" else "the window must be 24h"


def _refused(message: str) -> web.Response:
    return web.json_response({"error": {"message": message, "type": "invalid_request_error"}}, status=400)

"""MCP over stdio for agents that can only start a process: lines from standard input to a conversation's address, and
the answers back. Only the standard library, for one such process is started for each conversation.

The messages stay as they are. Which headers repeat what stands in them: MCP, "Transports", streamable HTTP
(2025-11-25 and 2026-07-28).
"""

from __future__ import annotations

import base64
import json
import os
import sys
import threading
from collections.abc import Iterable, Mapping
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

from toolgauge.errors import UsageError

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
MOST_AT_ONCE = 128
"""Requests under way; further lines are read when one of them was answered."""
PARSE_ERROR, SERVER_ERROR = -32700, -32000


def mcp_command(address: str) -> list[str]:
    """The command of a process that is an MCP server over stdio, with the tools of this address."""
    return [sys.executable, "-P", "-m", "toolgauge", "agents", "mcp", address]


class Bridge:
    """Passes messages on to an address, each in a thread of its own: a call may wait for its result."""

    def __init__(self, address: str, out: int) -> None:
        """out: the descriptor that answers are written to. Raises UsageError for an address that is not ours."""
        try:
            parts = urlsplit(address)
            self._host, self._port, self._path = parts.hostname or "", parts.port or 80, parts.path
        except ValueError:
            parts = urlsplit("")
        if parts.scheme != "http" or not parts.hostname:
            raise UsageError(f"invalid address '{address}'; must be the http://... address of a conversation")
        self._out, self._version = out, ""
        self._writing, self._free = threading.Lock(), threading.BoundedSemaphore(MOST_AT_ONCE)

    def carry(self, lines: Iterable[bytes]) -> None:
        """Pass on a JSON-RPC message a line, until the input ends."""
        for line in lines:
            if line.strip():
                self._free.acquire()
                threading.Thread(target=self._pass_on, args=(line,), daemon=True).start()

    def _pass_on(self, line: bytes) -> None:
        message: object = None
        try:
            message = json.loads(line)
            answer = self._post(line, message if isinstance(message, dict) else {})
        except (ValueError, RecursionError) as error:
            answer = _error(message, PARSE_ERROR, str(error))
        except (OSError, HTTPException) as error:
            answer = _error(message, SERVER_ERROR, str(error) or type(error).__name__)
        finally:
            self._free.release()
        if answer:
            line = b" ".join(answer.splitlines()) + b"\n"
            with self._writing:
                while line:
                    line = line[os.write(self._out, line) :]

    def _post(self, line: bytes, message: Mapping[str, object]) -> bytes:
        """What the server answers; b"" to what wants no answer."""
        connection = HTTPConnection(self._host, self._port)
        try:
            connection.request("POST", self._path, line, self._headers(message))
            response = connection.getresponse()
            answer = response.read()
        finally:
            connection.close()
        if message.get("method") == "initialize" and response.status == 200:
            self._version = str(json.loads(answer).get("result", {}).get("protocolVersion", ""))
        if "id" not in message or answer.startswith(b"{"):
            return answer if "id" in message else b""
        return _error(message, SERVER_ERROR, f"HTTP {response.status}")

    def _headers(self, message: Mapping[str, object]) -> dict[str, str]:
        params, method = message.get("params"), message.get("method")
        params = params if isinstance(params, dict) else {}
        meta = params.get("_meta")
        version = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if version:
            headers |= {"MCP-Protocol-Version": str(version), "Mcp-Method": str(method)}
            if method == "tools/call":
                headers["Mcp-Name"] = _header_value(str(params.get("name")))
        elif self._version and method != "initialize":
            headers["MCP-Protocol-Version"] = self._version
        return headers


def _header_value(text: str) -> str:
    """A text as the value of one of MCP's headers."""
    if text.isascii() and text.isprintable() and text == text.strip() and not text.startswith("=?base64?"):
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'replace')).decode()}?="


def _error(message: object, code: int, why: str) -> bytes:
    id_ = message.get("id") if isinstance(message, dict) else None
    if isinstance(message, dict) and id_ is None:
        return b""
    return json.dumps({"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": why}}).encode()

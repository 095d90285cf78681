"""Texts from other people's files and programs, made fit to be shown. They are data, whatever they say."""

from __future__ import annotations

import os
import re
import threading
import unicodedata
from typing import TextIO

from toolgauge.languages import HAN
from toolgauge.models.providers import masked

_KEY = re.compile(r"\b(?:sk|pk|gh[pousr]|xox[abp])[-_][A-Za-z0-9_-]{6,}|\bBearer\s+\S+", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t]+")
_EMPTY_LINES = re.compile(r"\n{3,}")
_DEPRECATED = re.compile(
    r"\bDEPRECATED\b|(?i:^\W{0,3}deprecated\b|[(\[]deprecated[)\]]"
    r"|\b(?:this (?:tool|method|function|endpoint|operation)|it) (?:is|has been) (?:now )?deprecated)"
    r"|已(?:弃用|废弃|停用)|此(?:工具|接口)(?:即将)?(?:弃用|废弃)",
    re.MULTILINE,
)
_LETTER = re.compile(r"[^\W\d_]")
_TRANSPORT = re.compile(
    r"accept(?:-(?!language$).*)?|content-.*|authorization|proxy-.*|cookie|host|connection|keep-alive|te|trailer|upgrade"
    r"|transfer-encoding|user-agent|origin|referer|from|date|via|forwarded|expect|pragma|cache-control|prefer"
    r"|if-(?:none-)?match|if-(?:un)?modified-since|if-range|last-event-id|priority|dnt|sec-.*|access-control-.*"
    r"|traceparent|tracestate|baggage|b3|sentry-trace|uber-trace-id|newrelic|grpc-.*"
    r"|(?:x-)?(?:request|correlation|trace|span|transaction|client-request|amzn-trace|amzn-request|ms-client-request"
    r"|cloud-trace)-?(?:id|context)|x-b3-.*|x-datadog-.*|x-ot-.*|x-forwarded-.*|x-real-ip|x-client-ip"
    r"|(?:x-)?idempotency-key|(?:x-)?(?:api-?key|auth-token|access-token|csrf-token|xsrf-token)|x-requested-with"
    r"|x-http-method-override|x-(?:client|sdk)-(?:name|version|info)"
)
_KEPT = 16_384
"""Bytes of standard error: a traceback with its causes."""


def tidy(text: object, limit: int) -> str:
    """A text without control and invisible characters, blanks single, cut at a word where it is longer than `limit`."""
    if type(text) is not str:
        return ""
    whole = text[: 8 * limit].replace("\r\n", "\n").replace("\r", "\n")
    visible = "".join(char if char in "\n\t" or not _hidden(char) else " " for char in whole)
    lines = "\n".join(line.rstrip() for line in _BLANKS.sub(" ", visible).split("\n"))
    plain = _EMPTY_LINES.sub("\n\n", lines).strip()
    if len(plain) <= limit:
        return plain
    head = plain[: limit - 1]
    cut = max(head.rfind(" "), head.rfind("\n"), head.rfind("。") + 1, head.rfind("，") + 1)
    return (head[:cut] if cut > limit // 2 else head).rstrip() + "…"


def unmarked(text: str, limit: int) -> str:
    """A text from outside as part of an error: one line, with anything that looks like a key masked."""
    return _KEY.sub("***", " ".join(tidy(text, limit).split()))


def language_of(text: str) -> str:
    """ "zh" where a tenth of the letters or more are Chinese, "en" otherwise."""
    letters = len(_LETTER.findall(text))
    return "zh" if letters and len(HAN.findall(text)) * 10 >= letters else "en"


def calls_itself_deprecated(text: str) -> bool:
    """Whether a title or description says that its tool should no longer be used; "lists deprecated keys" does not."""
    return _DEPRECATED.search(text[:20_000]) is not None


def hidden_characters(text: str) -> bool:
    """Whether a text has characters that people cannot see but a model reads (controls, directions, tags, private
    use)."""
    return any(_hidden(char) and char not in "\n\t\r" for char in text)


def _hidden(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn") and char not in "\u200c\u200d"


def is_transport(name: str) -> bool:
    """Whether a header of this name says how a request travels, so that nobody who talks about a task knows it."""
    return _TRANSPORT.fullmatch(name.strip().lower().replace("_", "-")) is not None


class StderrTail:
    """A file to give to a child as standard error; as a context it is read until the child has closed it.

    secrets: texts that the child knows and that must not be repeated.
    """

    def __init__(self, secrets: tuple[str, ...] = ()) -> None:
        self._secrets = secrets

    def __enter__(self) -> StderrTail:
        self._reading, writing = os.pipe()
        self.file: TextIO = os.fdopen(writing, "w")
        self._kept = b""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    @property
    def text(self) -> str:
        """All that is kept."""
        self._close()
        return self._kept.decode(errors="replace")

    def after(self, what: str) -> str:
        """A message with the last line that mentions an error, else the last line, at its end; without output as it
        is."""
        lines = [line for line in self.text.splitlines() if line.strip()]
        telling = [line for line in lines if "error" in line.lower()] or lines
        if not lines:
            return what
        return f"{what}; last output: {unmarked(masked(telling[-1], self._secrets), 200)}"

    def _close(self) -> None:
        if not self.file.closed:
            self.file.close()
            self._thread.join(1)  # a grandchild may hold the other end for ever

    def _read(self) -> None:
        with os.fdopen(self._reading, "rb", buffering=0) as pipe:
            while data := pipe.read(_KEPT):
                self._kept = (self._kept + data)[-_KEPT:]

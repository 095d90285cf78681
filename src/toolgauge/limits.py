"""Limits on what is read from outside: replies, files, documents. One place for the sizes that users meet.

What exceeds a limit is refused with one line that names it, from its beginning: nothing is read on to find out how
large it is. Limits that belong to one format stand with its reader.
"""

from __future__ import annotations

from threading import RLock

MAX_REPLY_BYTES = 32_000_000
"""Of one reply, unpacked, unless ModelOptions.max_reply_bytes (--set endpoint.max_reply_bytes=N) says otherwise."""
MAX_ERROR_BYTES = 1_000_000
"""Of the body of an HTTP status from 300 on; the status counts, so a longer body is cut off, not refused."""
MAX_REPLY_VALUES = 1_000_000
"""Values of a reply, as `holds_more_values` counts them."""
MAX_BATCH_BYTES = 1_000_000_000
"""Of one file of a batch's answers: 50,000 of 20 KB. Each line in it is bounded as a reply is."""

MAX_LINE_BYTES = 64 << 20
"""Of one line of a file of JSON lines, ours or a stranger's: a conversation or a tool list."""
MAX_SESSION_BYTES = 8 << 20
"""Of a session that people review: a browser has to show it. Those of public benchmarks have some tens of kilobytes."""
MAX_COMMAND_BYTES = 1 << 20
"""Of what a person asks of a review at a time: an edit, or who reviews thousands of sessions."""
MAX_FILE_BYTES = 128 << 20
"""Of a file that is read whole: an OpenAPI document, a manifest, metrics, prompts."""
MAX_VALUES = 5_000_000
"""Values of one line or document, as `holds_more_values` counts them."""

IMPORT_SECONDS = 20.0
"""For the schemas of all operations of an OpenAPI document, or of all tools of an MCP server, together."""
IMPORT_BYTES = 64 << 20
"""Of the tools that they make, as JSON."""

PYTHON_PARSER = RLock()
"""Held while Python parses a text: its parser counts depth, and `warnings` keeps filters, for all threads together."""

_WORTH_COUNTING = 1_000_000


def holds_more_values(text: bytes, limit: int) -> bool:
    """Whether JSON has more than `limit` arrays, objects and commas. Each takes up to 200 bytes once it is read.

    False for anything shorter than a megabyte.
    """
    return len(text) > _WORTH_COUNTING and sum(map(text.count, (b",", b"[", b"{"))) > limit

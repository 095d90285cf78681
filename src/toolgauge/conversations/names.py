"""Names of conversations, fit to be names of sessions: unique, short, and no paths."""

from __future__ import annotations

import hashlib
import re

MAX_NAME = 100
_ODD = re.compile(r"[^\w.@:+-]+")


class Names:
    """Gives names; remembers a digest of each, so that many take little memory."""

    def __init__(self) -> None:
        self._given: set[bytes] = set()

    def name(self, wanted: str) -> str:
        """A name that was not given yet: the wanted one, or with a number at its end."""
        plain = base = _ODD.sub("_", wanted).lstrip(".")[:MAX_NAME] or "conversation"
        number = 1
        while (digest := hashlib.blake2b(plain.encode("utf-8", "replace"), digest_size=8).digest()) in self._given:
            number += 1
            plain = f"{base}-{number}"
        self._given.add(digest)
        return plain

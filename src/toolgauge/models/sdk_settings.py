"""What OpenAI's SDK takes from the environment by itself, and when it may."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from toolgauge.models.providers import Endpoint

_OF_OPENAI = ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS")
_NEVER = ("OPENAI_ADMIN_KEY", "OPENAI_WEBHOOK_SECRET")
_lock = threading.Lock()


@contextmanager
def sdk_settings(endpoint: Endpoint) -> Iterator[None]:
    """While a client is made: hide the variables of the SDK that do not belong to its endpoint.

    Organisation, project and further headers of the shell are for the provider that OPENAI_API_KEY is for, and for no
    address or key that a `.env` gives. The SDK would send them to any address.
    """
    key_in_file = endpoint.key is not None and endpoint.key.source == "file"
    foreign = "OPENAI_API_KEY" not in endpoint.provider.key_variables
    names = _NEVER + (_OF_OPENAI if foreign or key_in_file or endpoint.address.source == "file" else ())
    with _lock:
        hidden = {name: os.environ.pop(name) for name in names if name in os.environ}
        try:
            yield
        finally:
            os.environ.update(hidden)

"""toolgauge: how well do language models use tools when people talk to them the way people do?"""

from __future__ import annotations

__version__ = "0.1.0"

"""What answers requests: endpoints, and built-in models that need no network. Importing this room imports no client."""

from __future__ import annotations

from toolgauge.models.failures import Backoff
from toolgauge.models.model import Model, ModelOptions, Sampling
from toolgauge.models.registry import open_model

__all__ = ["Backoff", "Model", "ModelOptions", "Sampling", "open_model"]

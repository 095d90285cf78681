"""Benchmarks of one's own: what their authors import (docs/plugins.md)."""

from toolgauge.benchmarks.benchmark import Published, Role
from toolgauge.benchmarks.conversation.benchmark import ConversationBenchmark
from toolgauge.benchmarks.conversation.simple import Question, SimpleBenchmark, Wrong, calls_made
from toolgauge.benchmarks.conversation.talk import Talk
from toolgauge.benchmarks.conversation.tasks import Outcome, Task

__all__ = [
    "ConversationBenchmark",
    "Outcome",
    "Published",
    "Question",
    "Role",
    "SimpleBenchmark",
    "Talk",
    "Task",
    "Wrong",
    "calls_made",
]

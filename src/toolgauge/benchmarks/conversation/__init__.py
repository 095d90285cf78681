"""Benchmarks of one's own: what their authors import (docs/plugins.md)."""

from toolgauge.benchmarks.benchmark import Published, Role
from toolgauge.benchmarks.conversation.benchmark import ConversationBenchmark, TaskOptions
from toolgauge.benchmarks.conversation.simple import Question, SimpleBenchmark, Wrong
from toolgauge.benchmarks.conversation.talk import Talk
from toolgauge.benchmarks.conversation.tasks import Outcome, Task, calling, calls_made, replies_by_turn

__all__ = [
    "ConversationBenchmark",
    "Outcome",
    "Published",
    "Question",
    "Role",
    "SimpleBenchmark",
    "Talk",
    "Task",
    "TaskOptions",
    "Wrong",
    "calling",
    "calls_made",
    "replies_by_turn",
]

"""Scripted agents: what a perfect agent would say at every turn, and each fault that a rule or a gate must catch."""

from toolgauge.generation.whisper.fault_table import FAULTS, Fault
from toolgauge.generation.whisper.prompter import whisper

__all__ = ["FAULTS", "Fault", "whisper"]

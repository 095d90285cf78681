"""Scripted agents: what a perfect agent would say, and every fault that a validator or a filter must catch."""

from toolgauge.demo.fault_table import FAULTS, ScriptedFault
from toolgauge.demo.scripted_agents import LibraryAgents, ScriptedAgents
from toolgauge.demo.typical_lengths import TypicalLengths

__all__ = ["FAULTS", "LibraryAgents", "ScriptedAgents", "ScriptedFault", "TypicalLengths"]

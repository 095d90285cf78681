"""Scripted agents: what a perfect agent would say at every turn, and each fault that a rule or a gate must catch."""

from toolgauge.demo.fault_table import FAULTS, ScriptedFault
from toolgauge.demo.scripted_agents import scripted_agents

__all__ = ["FAULTS", "ScriptedFault", "scripted_agents"]

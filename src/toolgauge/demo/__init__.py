"""Scripted agents: the structured replies of all agents over any tool list, without a model."""

from toolgauge.demo.agents import ScriptedAgents

__all__ = ["ScriptedAgents"]

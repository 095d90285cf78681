"""How a message leans on what was said before, as far as its own words show it."""

from toolgauge.annotation.leaning.cue import Cue, Lean
from toolgauge.annotation.leaning.cues import LONGEST, content_words, cues_in, goes_on_whole, names_tool, reaches_back

__all__ = ["LONGEST", "Cue", "Lean", "content_words", "cues_in", "goes_on_whole", "names_tool", "reaches_back"]

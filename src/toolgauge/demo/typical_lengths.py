"""Scripted agents that write as much as a model does: so that what a model would cost can be counted without one.

How much that is was seen in dialogues of a strong model: thoughts of about 90 words, answers of 115, and some 60 words
in a result beside what was asked for. What is added says nothing that a plan or a value could be found in.
"""

from __future__ import annotations

from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import GoldHint, Json
from toolgauge.generation.agents.blocks import within_block
from toolgauge.generation.state import AgentRequest, DialogueState, HintProvider

THOUGHT, ANSWER, RESULT = 90, 115, 60
"""Words."""
_CHARACTERS = 1.6
"""Chinese characters for an English word."""
_SENTENCES = {
    "en": (
        "This follows from what was said so far, and nothing in it speaks against that.",
        "All that is needed for it is known by now, so there is no reason to wait any longer.",
        "Other ways would take more effort and would not lead to anything better in this case.",
        "If something about it changes later on, it is easy to come back and look at it anew.",
        "Details that nobody mentioned are left as they are, which is what most people expect.",
        "The wording is clear enough, and it agrees with what the person seems to be after.",
        "It is good to keep it short here, because everything important has its place already.",
        "Should there be any doubt about a part of it, that part can be looked at on its own.",
        "Nothing else has to be taken into account for the moment, as far as one can tell.",
    ),
    "zh": (
        "这与前面说过的内容一致，没有与之矛盾的地方。",
        "所需要的信息已经齐备，因此没有必要继续等待。",
        "其他的做法更费事，在这种情况下也不会有更好的结果。",
        "以后如果有什么变化，随时可以回过头来重新查看。",
        "没有人提到的细节保持原样，这也是大多数人所期望的。",
        "措辞已经足够清楚，与对方想要的东西也是相符的。",
        "这里写得简短一些比较好，重要的内容都已经有了位置。",
        "如果对其中某个部分有疑问，可以把它单独拿出来看。",
        "就目前所知，暂时没有其他需要考虑的事情。",
    ),
}


class TypicalLengths(Struct, frozen=True):
    """A `HintProvider`: what other scripted agents say, made as long as a model's replies are on average."""

    agents: HintProvider
    language: str

    def __call__(self, state: DialogueState, ask: AgentRequest) -> GoldHint:
        hint = self.agents(state, ask)
        content = hint.reply.content or ""
        if ask.role == "planner":
            content = within_block(content, self._decision)
        elif ask.role == "tool":
            content = within_block(content, self._results)
        elif ask.role == "agent" and ask.agent != "agent_ask":
            content = self._longer(content, ANSWER)
        return replace(hint, reply=replace(hint.reply, content=content))

    def _longer(self, text: str, words: int) -> str:
        """A text with sentences behind it until it is about so many words long."""
        english = self.language == "en"
        length = len(text.split()) if english else len(text) / _CHARACTERS
        each = 15 if english else 22 / _CHARACTERS
        count = round(max(0.0, words - length) / each)
        return (" " if english else "").join([text, *islice(_SENTENCES[self.language], count)])

    def _decision(self, value: Json) -> None:
        for name, words in (("Thought", THOUGHT), ("Answer", ANSWER)):
            if isinstance(text := value.get(name), str) and text:
                value[name] = self._longer(text, words)

    def _results(self, value: Json) -> None:
        for one in value.get("Observation_List", ()):
            if isinstance(one.get("response"), dict):
                one["response"]["remarks"] = self._longer("", RESULT).strip()

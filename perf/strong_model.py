"""Scripted agents that write as a strong model did: as much, with its habits, and with mistakes now and then."""

from __future__ import annotations

import random
import re
from collections import Counter
from weakref import WeakKeyDictionary

from msgspec.structs import replace

from toolgauge.chat import GoldHint, Json, Reply
from toolgauge.generation.agents.blocks import within_block
from toolgauge.generation.state import AgentRequest, DialogueState, HintProvider, seeded_random

FAULTS = {
    "user": (0.04, ("self_contained", "complete_request", "tool_request_in_chat")),
    "planner": (
        0.08,
        (
            *("invented_value", "invented_number", "invented_time", "redundant_call", "gives_up", "tool_in_chat"),
            *(
                "missing_value",
                "wrong_type",
                "placeholder",
                "ask_for_optional",
                "thought_names_ask",
                "unknown_parameter",
            ),
            *("one_by_one", "together_too_soon", "chat_after_result"),
        ),
    ),
    "tool": (0.03, ("no_status", "empty_result", "too_few_results")),
    "checker": (0.05, ("groundless_objection",)),
    "agent": (0.005, ("wrong_language",)),
}
"""By role: how often a mistake is made where one of these can be (demo/fault_table.py)."""
WORDS = {
    "en": {
        "thought": (
            "The message is short, but with what was said before it is clear what the person is after here.",
            "I look at the list once more to see whether anything in it covers this better than my first idea.",
            "Nothing in the conversation contradicts these values, and I keep them exactly as they were put.",
            "The optional settings were not mentioned by anybody, so I leave them out and rely on the defaults.",
            "The wording suggests that a plain and direct way to get there is wanted rather than a broad search.",
            "I do not see any detail that would have to be worked out, and nothing here is open to interpretation.",
            "The types in the definition agree with what I have, so the arguments can be written down as they are.",
            "What came back before is still valid, and there is no sign that anything about it has changed since.",
            "This keeps close to what was asked and avoids doing anything that nobody has requested so far.",
            "It is one matter and not several, and what is needed for it can be told from the words themselves.",
        ),
        "answer": (
            "That is what the records show at the moment; they are kept up to date by the people in charge of them.",
            "If your plans change, just tell me what should be different, and I will look into it for you again.",
            "Please keep in mind that details like these can shift at short notice, above all on busy days.",
            "It may be worth writing this down somewhere, so that you have it at hand when somebody asks for it.",
            "Should anything look different on the spot, the staff there will be able to sort it out quickly.",
            "I have left out what did not seem to matter for your question, but I can go into more depth if you like.",
            "Most people find this good enough to plan with, although a little room for surprises never hurts.",
            "Whatever you decide, there is no hurry on this side, and nothing has been changed beyond what you see.",
        ),
        "result": (
            "General terms apply; changes are possible until the evening before.",
            "Prepared by the regional office and checked by a second person.",
            "Please have a confirmation ready, either printed or on your phone.",
            "Feedback is welcome through the usual channels at any time.",
        ),
        "fields": ("issued_by", "conditions", "remarks", "contact_hint", "language", "visibility", "quality"),
        "values": ("Northern Service Centre", "standard", "English", "public", "verified", "desk on the ground floor"),
    },
    "zh": {
        "thought": (
            "这句话虽然很短，但结合前面说过的内容，要办的事情是清楚的。",
            "我再看了一遍列表，确认没有别的更合适的选择，刚才的判断可以保留。",
            "对话里没有与这些取值相矛盾的地方，因此按原来的说法原样使用。",
            "可选的设置没有人提到过，所以不写，用默认的就可以。",
            "从措辞来看，对方想要的是直接了当的办法，而不是大范围的查找。",
            "这里没有需要另外推算的细节，也没有可以有多种理解的说法。",
            "定义里的类型与现有的信息一致，参数照着写下来就行。",
            "之前返回的内容仍然有效，看不出有什么已经变化的迹象。",
            "这样做紧扣对方的要求，也不会去做没有人提出过的事情。",
            "这是一件事而不是几件事，需要的信息从话里就能看出来。",
        ),
        "answer": (
            "以上就是目前登记的情况，由相关负责人员随时更新。",
            "如果计划有变，告诉我哪里需要调整，我会再帮您看一看。",
            "请留意，这类细节有可能临时变动，尤其是在比较繁忙的日子。",
            "建议您把这些内容记在方便查看的地方，需要的时候可以马上拿出来。",
            "如果现场看到的情况不一样，那里的工作人员会很快帮您处理好。",
            "与问题关系不大的部分我没有写出来，想了解更多的话可以继续问我。",
            "一般来说，这样的信息足够用来做安排，不过留一点余地总是好的。",
            "无论您怎么决定都不用着急，除了您看到的内容之外没有改动任何东西。",
        ),
        "result": (
            "适用通用条款，前一天晚上之前可以变更。",
            "由地区办公室整理，并经另一名人员复核。",
            "请准备好确认信息，纸质或手机均可。",
            "欢迎随时通过常用渠道反馈意见。",
        ),
        "fields": ("issued_by", "conditions", "remarks", "contact_hint", "language", "visibility", "quality"),
        "values": ("北区服务中心", "标准", "中文", "公开", "已核实", "一楼服务台"),
    },
}
"""Sentences that fit anywhere and hold no value that could be taken for somebody's."""
_LONG = {"en": re.compile(r"\w+"), "zh": re.compile(r"[㐀-鿿]")}
_FACTOR = {"en": 1.0, "zh": 1.6}
"""Chinese characters for an English word."""


class StrongModel:
    """A `HintProvider`: the replies of scripted agents, longer, with faults and habits.

    What it does depends on the dialogue, the task, the agent and how often it was asked there, so that versions that
    ask less or more meet the same faults where they do the same.
    """

    def __init__(self, agents: HintProvider, language: str) -> None:
        self.agents, self.language, self.words = agents, language, WORDS[language]
        self._asked: WeakKeyDictionary[DialogueState, Counter[tuple[int, str]]] = WeakKeyDictionary()

    def __call__(self, state: DialogueState, ask: AgentRequest) -> GoldHint:
        hint = self.agents(state, ask)
        asked = self._asked.setdefault(state, Counter())
        place = (state.task, ask.agent)
        draw = seeded_random(0, state.record.key, state.tool_list, state.clock, *place, asked[place])
        asked[place] += 1
        reply = self.longer(self.mistaken(hint, ask.role, draw), ask, draw)
        if hint.habits is not None:
            reply = hint.habits(reply, draw, "all")
        return replace(hint, reply=reply)

    def mistaken(self, hint: GoldHint, role: str, draw: random.Random) -> Reply:
        """The reply, or now and then a wrong one."""
        rate, names = FAULTS[role]
        if draw.random() >= rate or hint.mistakes is None:
            return hint.reply
        possible = [(name, reply) for name, reply in hint.mistakes() if name in names]
        if not possible:
            return hint.reply
        name = draw.choice(sorted({name for name, _ in possible}))
        return draw.choice([reply for made, reply in possible if made == name])

    def longer(self, reply: Reply, ask: AgentRequest, draw: random.Random) -> Reply:
        """The reply at the length of a strong model's."""
        content = reply.content or ""
        if ask.role == "agent" and ask.agent != "agent_ask" and content:
            return replace(reply, content=self.padded(content, "answer", draw.randint(80, 150), draw, "\n\n"))
        if ask.role == "planner":
            return replace(reply, content=within_block(content, lambda value: self._decision(value, draw)))
        if ask.role == "tool":
            return replace(reply, content=within_block(content, lambda value: self._results(value, draw)))
        return reply

    def padded(self, text: str, kind: str, words: int, draw: random.Random, joint: str = "") -> str:
        """A text with sentences behind it until it is about so many words long."""
        blank = " " if self.language == "en" else ""
        parts: list[str] = []
        most = words * _FACTOR[self.language]
        for sentence in draw.sample(self.words[kind], len(self.words[kind])):
            if len(_LONG[self.language].findall(text + "".join(parts))) >= most:
                break
            parts.append(sentence)
        return f"{text}{joint or blank}{blank.join(parts)}" if parts else text

    def _decision(self, value: Json, draw: random.Random) -> None:
        if isinstance(value.get("Thought"), str):
            value["Thought"] = self.padded(value["Thought"], "thought", draw.randint(60, 120), draw)
        if isinstance(value.get("Answer"), str):
            value["Answer"] = self.padded(value["Answer"], "answer", draw.randint(80, 150), draw, "\n\n")

    def _results(self, value: Json, draw: random.Random) -> None:
        for one in value.get("Observation_List", ()):
            if isinstance(one.get("response"), dict):
                fields = draw.sample(self.words["fields"], 4)
                one["response"] |= dict(zip(fields, draw.choices(self.words["values"], k=4), strict=True))
                one["response"]["notes"] = draw.sample(self.words["result"], 2)

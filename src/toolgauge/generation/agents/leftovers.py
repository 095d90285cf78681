"""What nobody says in a conversation and no cleaning takes away: marks, machinery, talk about the conversation.

A reply with such a thing is refused and asked for again with the reason (speech.py); in a finished dialogue it is
found by the filter `clean_text`.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import NamedTuple

from toolgauge.annotation.dialogue import Speaker
from toolgauge.generation.agents.reasoning import CODE
from toolgauge.languages import has_han

SHOWN = 60
"""Characters of what was found."""
SAME = 4
"""So often one behind the other nobody says a sentence."""
_FEWEST, _SHARE = 12, 0.4
"""Of so many sentences at least this share is different."""
_SENTENCES = re.compile(r"[^.!?。！？\n,，;；]+")
_ENDS = re.compile(r"(?<=[.。！？?!:：])\s+|(?<=[。！？])|\n|\$\w+")
_SENTENCE = 12
"""Chinese characters of a sentence that nobody says by chance; twice as many letters."""

_MARKS = (
    r"<\|[\w▁]{2,30}\|>|</?(?:start|end)_of_turn>|<｜[^｜\n]{1,40}｜>"
    r"|^[ \t]*+</?think(?:ing)?>|</think(?:ing)?>[ \t]*+$"
    r"|</?tool_calls?>|<tool_response>|\[/?(?:INST|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS)\]|◁/?think▷|\[/?THINK\]"
)
_FRAMES = r"|</?(?:question|example)>|</message>|</?(?:消息|问题|例子)>"
"""Tags of the prompts; in results and plans they may be data."""
_SPOKEN_MARKS = re.compile(_MARKS + _FRAMES, re.MULTILINE)
_EVERYBODY = {
    "markup": re.compile(_MARKS, re.MULTILINE),
    "machinery": re.compile(
        r"\b(?:Action_List|Task_Finish|Mission_Finish|Observation_List|tool_call_purpose|tool_call_analysis"
        r"|prepare_to_answer|ask_user_for_required_parameters|Checker_Planner|Checker_Tool)\b"
        r"|\b[Ss]witch(?:ing)? (?:to )?(?:the role|the role to|your role)\b|切换角色为"
        r"|\bbeginning with \"(?:User|Agent): ?\"|以“(?:用户|Agent助手)：”开头|\bWhat it means in full:|完整的意思："
    ),
}
_BY_SPEAKER: dict[Speaker, dict[str, re.Pattern[str]]] = {
    Speaker.USER: {
        "markup": _SPOKEN_MARKS,
        "out_of_role": re.compile(
            r"\bas an? (?:ai|artificial intelligence|(?:large )?language model)\b"
            r"|\bi(?:'m| am) an? (?:ai|language model)\b"
            r"|(?:^|[.!?]\s)\W{0,4}as the user,"
            r"|\b(?:i (?:can(?:'t|not)|am unable to)) (?:act|play|role-?play|pretend)\b"
            r"|(?:^|[.!?]\s)\W{0,4}(?:okay, |so |now )*"
            r"the user (?:wants|asked|asks|is|has|should|would|could|needs|then)\b"
            r"|\bi(?:'m| am) (?:happy|here|glad) to (?:help|assist)\b(?! (?!you\b|with\b)\w)"
            r"|\bhow (?:can|may) i (?:help|assist) you\b"
            r"|有什么可以帮您|很高兴为您|作为(?:一个|一名)?(?:ai|人工智能|(?:大)?语言模型)|我是(?:一个|一名)?(?:ai|人工智能|语言模型)|无法扮演"
            r"|(?:^|[。！？])(?:好的，|那么，)?(?:用户(?:想|要求|刚才|需要|接下来|会|可以问)|作为用户)",
            re.IGNORECASE | re.MULTILINE,
        ),
        "placeholder": re.compile(
            r"\[(?:your|insert|enter|specific|some|any|the)\b[^\]\n]{1,40}\](?!\()"
            r"|\[(?:city|town|name|date|time|day|location|place|destination|address|email|phone|product|item|amount"
            r"|number|order|company|title|topic)(?:[ _](?:name|number|id|date|time|address|code))?\](?!\()"
            r"|[\[【](?:您的|你的|具体|某个?)?(?:城市|姓名|名字|名称|日期|时间|地点|地址|编号|订单|电话|产品|公司|金额)"
            r"(?:名称?|号|编号)?[\]】]"
            r"|(?-i:\bX{3,8}\b|X{2,8}(?:市|公司|先生|女士|路|号))",
            re.IGNORECASE,
        ),
    },
    Speaker.AGENT: {
        "markup": _SPOKEN_MARKS,
        "out_of_role": re.compile(
            r"(?:^|[.!?]\s)\W{0,4}(?:okay, |ok, |so |now )*"
            r"the user (?:wants|asked|asks|is (?:asking|looking|requesting)"
            r"|has asked|needs|said|gave|would like)\b"
            r"|\bi (?:should|need to|must|will|have to) (?:tell|ask|inform|answer|respond to|reply to) the user\b"
            r"|(?:^|[。！？])(?:好的，|那么，)?用户(?:想|要求|询问|需要|问的?是|希望|提供了|给出了)"
            r"|我(?:应该|需要|要)(?:告诉|询问|回复|回答)用户",
            re.IGNORECASE | re.MULTILINE,
        ),
        "placeholder": re.compile(
            r"\[(?:your|insert|the)? ?(?:reply|response|message|answer|text)(?: to the user)?(?: here)?\]"
            r"|[\[【](?:您的|你的)?(?:回复|回答)(?:内容)?[\]】]",
            re.IGNORECASE,
        ),
    },
}


class Leftover(NamedTuple):
    """code: of the reason (prompts/unreadable.*.json); found: the words that show it."""

    code: str
    found: str


def leftover(text: str, speaker: Speaker) -> Leftover | None:
    """The first thing in a text that its speaker does not say. In code everybody may write marks of all kinds."""
    words = CODE.sub(" ", text) if speaker in _BY_SPEAKER else text
    for code, pattern in (_EVERYBODY | _BY_SPEAKER.get(speaker, {})).items():
        if found := pattern.search(text if code == "machinery" else words):
            return Leftover(code, found[0].strip()[:SHOWN])
    if speaker in _BY_SPEAKER and (echo := next((one for one in _prompt_sentences() if one in text), "")):
        return Leftover("machinery", echo[:SHOWN])
    if speaker in _BY_SPEAKER and (again := _repeated(words)):
        return Leftover("repeats", again[:SHOWN])
    return None


@cache
def _prompt_sentences() -> tuple[str, ...]:
    """Sentences of what users and assistants are told: small models repeat them."""
    folder = files("toolgauge.generation.prompts")
    told = [
        one for one in folder.iterdir() if one.name.startswith(("user_", "agent_", "switch_")) and ".txt" in one.name
    ]
    sentences = (one.strip() for file in told for one in _ENDS.split(file.read_text(encoding="utf-8")))
    return tuple(dict.fromkeys(one for one in sentences if len(one) >= _SENTENCE * (1 if has_han(one) else 2)))


def _repeated(text: str) -> str:
    """What a text says over and over."""
    said = [" ".join(found[0].casefold().split()) for found in _SENTENCES.finditer(text)]
    said = [one for one in said if len(one) >= SAME]
    run = 1
    for before, after in pairwise(said):
        run = run + 1 if before == after else 1
        if run >= SAME * (1 if len(after) >= 2 * SAME else 2):
            return after
    often = Counter(said).most_common(1)
    if len(said) >= _FEWEST and len(set(said)) < _SHARE * len(said):
        return often[0][0]
    return ""

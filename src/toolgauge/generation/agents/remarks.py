"""What models write to whoever reads their reply: lead-ins before the words, remarks behind them.

People begin with such words as well ("Here is the reply I got: ...", "Note: no nuts"), and assistants with "Here are
the flights:". So a lead-in is one only where it speaks of the user as of somebody else, or names the reply and nothing
more; a remark only where it is about the message itself.
"""

from __future__ import annotations

import re
from itertools import islice

from toolgauge.annotation.dialogue import Speaker

_ACK = (
    r"(?:(?:sure(?: thing)?|certainly|of course|absolutely|okay|ok|alright|great|understood|got it|yes|no problem)"
    r"[!,.\s]+){0,2}"
)
_THE_USER = (
    r"\b(?:the|a) (?:[a-z]+ )?users?\b(?!['’]?s? (?:guide|manual|names?|id|ids|list|account|interface|agreement|profile"
    r"|data|details|settings|group|role))"
)
_ZH_USER = r"用户(?!名|手册|协议|信息|列表|数据|资料|账号|组)"
_ZH_ACK = r"(?:(?:好的?|当然(?:可以)?|可以|没问题|明白了?|收到|根据[^，：\n]{1,30})[，。！!,、\s]*)?"
_ZH_SPOKEN = r"(?:回复|回答|答复|消息|发言|话|内容|问题|总结)"
_SPOKEN = r"(?:reply|response|answer|message|utterance|turn|question|follow-?up|line|request|task)"
_END = r"[:：]\**[ \t]*+"
_DECO = r"[*_#> \t]*+"
_ADJECTIVES = r"(?:[a-z-]+ ){0,4}"
_USERS = (
    rf"(?:[^:\n]{{0,50}}\b(?:for|to|of|from|by|as)(?: a reply)? {_THE_USER}"
    rf"|[^:\n]{{0,20}}{_THE_USER}['’]s? {_ADJECTIVES}{_SPOKEN})[^:\n]{{0,40}}"
)
"""Of a reply: whose it is, or for whom."""
_COMMON = (
    rf"{_ACK}(?:based on [^:\n]{{1,60}}, )?(?:here(?:['’]s| is| are)|below is|this is|the following is|following is)"
    rf" {_USERS}{_END}",
    rf"{_ACK}as (?:the|an?) (?:\w+ ){{0,2}}(?:user|agent|assistant|model)\b[^,:\n]{{0,40}},"
    rf" (?:i(?:['’]d| would| will|['’]ll)|my) [^:\n]{{0,60}}{_END}",
    rf"(?:the )?{_THE_USER}['’]s? [^:\n]{{0,30}}{_SPOKEN}{_END}",
    rf"user(?:['’]s)? (?:next )?(?:says|{_SPOKEN})\**{_END}",
    rf"(?:final |next )?(?:{_SPOKEN}) (?:to|for|of|from) the user\**{_END}",
    r"switch(?:ing|ed) (?:to )?the role[^\n]{0,60}\n",
    r"(?:role|speaker)[:：][^\n]{1,20}\n",
    r"(?:the )?(?:agent|assistant|user|final)(?:['’]s)? (?:response|reply|message|answer)\**"
    r"(?:[:：]\**[ \t]*+|[ \t]*\n)",
    r"(?:output|final output|final answer)\**[:：]\**[ \t]*+(?:\n|$)",
    rf"{_ZH_ACK}(?:以下是|下面是|这是|以下为)[^：:，。\n]{{0,12}}{_ZH_USER}[^：:，。\n]{{0,12}}{_ZH_SPOKEN}(?:如下)?\**{_END}",
    rf"{_ZH_ACK}[给对]?用户的?(?:新|下一[条句])?的?{_ZH_SPOKEN}(?:如下)?\**{_END}",
    rf"{_ZH_ACK}(?:以下是|回复如下|以下是(?:我的)?(?:回复|回答|下一条消息)){_END}",
    rf"{_ZH_ACK}作为用户，[^：:\n]{{0,20}}{_END}",
    rf"用户(?:会|可能)?(?:说|回答){_END}",
    rf"{_ZH_ACK}[^：:，。\n]{{0,10}}(?:回复|告诉|回答)用户(?:如下)?{_END}",
    r"切换角色为[^\n，,：:]{1,14}[。.]?[ \t]*\n",
    r"好的，我现在是[^\n，：:]{1,8}[。.！]\s*",
    r"(?:给用户的)?(?:回复|回答|答复|输出)\**(?:[:：]\**[ \t]*+\n|[ \t]*\n)",
)
_OF_USER = (
    rf"{_ACK}(?:here(?:['’]s| is)|this is|below is) (?:my|the|a|one)(?: [a-z]+){{0,3}}? ?"
    rf"(?:next|possible|follow-?up|natural)(?: [a-z]+){{0,2}}{_END}",
    rf"(?:my |the )?next (?:{_SPOKEN})\**{_END}",
    rf"{_ACK}(?:here(?:['’]s| is) )?my next (?:{_SPOKEN})[^:\n]{{0,40}}{_END}",
    r"new task\**[:：]\**[ \t]*+|(?:【新任务】|新任务\**[:：]\**)[ \t]*+",
    r"(?:sure|okay|ok|understood|alright|got it)[!,.\s]+(?=user[:：])|(?:好的|明白了?)[，。！]\s*(?=用户[:：])",
)
_OF_AGENT = (
    rf"{_ACK}(?:based on [^:\n]{{1,60}}, )?(?:here(?:['’]s| is)|below is) (?:the|my|a)(?: final| suggested| possible)?"
    rf" (?:reply|response|output)\**{_END}",
    rf"{_ACK}here(?:['’]s| is) (?:my|the) {_SPOKEN} as the (?:agent|assistant){_END}",
    rf"(?:agent)?助手的?{_ZH_SPOKEN}\**{_END}",
    rf"(?:response|output)\**{_END}",
    r"(?:reply|answer)\**[:：]\**[ \t]*\n",
)


def _leading(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"{_DECO}(?:{'|'.join(patterns)})", re.IGNORECASE)


_LEAD_IN = {Speaker.USER: _leading(_COMMON + _OF_USER), Speaker.AGENT: _leading(_COMMON + _OF_AGENT)}
_FENCED = re.compile(r"\s*```[ \t]*+(?:\w++[ \t]*+)?\n(?P<inside>.*?)\n[ \t]*```", re.DOTALL)
_DOES = r"(?:think|paus|smil|look|check|typ|sigh|speak|laugh|nod|scratch|shrug|scroll|glanc|continu|switch)\w*"
_STAGE = re.compile(
    rf"\*{_DOES}\b[^*\n]{{0,60}}\*[ \t]+(?=\S)|\({_DOES}\b[^()\n]{{0,40}}\)\s*|\(the user [^()\n]{{1,60}}\)\s*"
    r"|\(in an? [^()\n]{1,40} (?:tone|voice|manner)\)\s*|\(as (?:the|an?) (?:user|agent)[^()\n]{0,20}\)\s*"
    r"|（用户[^（）\n]{1,30}）\s*|（[^（）\n]{0,10}(?:身份|角色|口吻|语气)[^（）\n]{0,14}）\s*",
    re.IGNORECASE,
)
"""What the speaker does, in front of what is said."""

_OWN_WORDS = r"(?:message|reply|response|utterance|sentence|task|turn|follow-?up|request|question)"
_WAITING = (
    r"^\W*(?:end of|waiting|awaiting|等待|word count|字数)|回复完毕|\b(?:the )?user['’]s (?:next|reply|response|turn)\b"
)
_ABOUT = {
    Speaker.USER: (
        rf"\bthis {_OWN_WORDS}\b|\b(?:the|my) {_OWN_WORDS} (?:refers|leans|uses|omits|relies|is about|asks|leaves)\b"
        r"|^\W*(?:it|this|that)\b[^.]{0,20} (?:refers|relates|points|leans|means|omits|asks)\b"
        rf"|{_THE_USER}|\b(?:previous|last|earlier) (?:task|turn|message)\b|\bas (?:instructed|the pattern)\b"
        r"|\b(?:coreference|partial information|long[- ]range|pronoun|omits|omitted|omission)\b|\bneeds \w+_\w+"
        r"|这句话|这里(?:的[“\"「]|省略|指|用)|此处(?:省略|指)|指的?是|^\W*指上|省略|承接|上一个?任务|前文|代词|完整的意思|"
        + _ZH_USER
        + rf"|\b(?:invented|made[ -]up|fictional|fictitious)\b|虚构|编造|随机生成|{_WAITING}"
    ),
    Speaker.AGENT: (
        r"\b(?:this|the above|the|my) (?:message|reply|response|summary)\b[^.]{0,40}\b(?:is based|based|summari"
        r"|follows|keeps|uses|was|written)|\bas (?:instructed|requested in the prompt)\b"
        r"|\b(?:tool (?:results?|output)|planner|prompt)\b"
        rf"|{_THE_USER}|(?:以上|这|本|此)(?:条)?回复|根据工具|规划者|{_WAITING}|" + _ZH_USER
    ),
}
_META = {speaker: re.compile(pattern, re.IGNORECASE) for speaker, pattern in _ABOUT.items()}
_BRACKETS = {")": "(", "）": "（", "]": "["}
_LONGEST = 400
"""Characters of a remark in brackets, and of a labelled one that are looked at."""
_MOST_LABELS = 20
_END_MARK = re.compile(
    r"\n[*_ \t]*(?:end of (?:message|response|reply|conversation|turn)|user|用户)[.*_ \t]*\Z", re.IGNORECASE
)
"""A line that ends a reply: "End of response", or the next speaker's bare name."""
_SURE = re.compile(
    r"^\W{0,4}(?:what it means(?: in full)?|(?:full |complete |resolved )?meaning|in full|explanation|rationale"
    r"|reasoning|interpretation|完整的?(?:意思|含义)|含义|意思是?|解释)\W{0,3}[:：]",
    re.IGNORECASE | re.MULTILINE,
)
"""A remark behind what a user says, whatever it says."""
_PERHAPS = re.compile(
    r"^\W{0,4}(?:p\.?s\.?|note|context|translation|pattern|注|备注|说明|提示)\W{0,3}[:：]", re.I | re.M
)
_PARAGRAPH = re.compile(
    r"\W{0,4}(?:(?:in )?this (?:message|reply|response|utterance|sentence|question|task|way)\b"
    r"|this (?:leans|refers|omits|uses)\b|the user\b"
    r"|(?:please )?let me know if you(?:['’]d| would)? (?:like|want|need)|如果需要"
    r"|这句话|该消息|用户(?:在这里|通过|想))",
    re.IGNORECASE,
)
_TEXT_OFFERED = re.compile(
    r"\b(?:version|variation|message|phrasing|wording|tone|example)s?\b|版本|示例|例子", re.IGNORECASE
)


def without_lead_in(text: str, speaker: Speaker) -> str:
    """A text without a lead-in; of a fenced block behind one only what is in the fence."""
    found = _LEAD_IN[speaker].match(text)
    if found and text[found.end() :].strip():
        rest = text[found.end() :]
        fenced = _FENCED.match(rest)
        return fenced["inside"] if fenced else rest
    stage = _STAGE.match(text)
    if stage and speaker is Speaker.AGENT and "*" in stage[0]:
        stage = None  # assistants write Markdown
    return text[stage.end() :] if stage else text


def without_remarks(text: str, speaker: Speaker) -> str:
    """A text without remarks to the reader at its end: in brackets, behind a label, or a paragraph of its own."""
    meta = _META[speaker]
    text = _END_MARK.sub("", text)
    bare = text.rstrip().rstrip("*_").rstrip()
    opening = bare.rfind(_BRACKETS.get(bare[-1:], "\0"), max(1, len(bare) - _LONGEST))
    if opening > 0 and meta.search(bare[opening + 1 :]):
        return text[:opening].rstrip().rstrip("*_")
    labels = [_PERHAPS, _SURE] if speaker is Speaker.USER else [_PERHAPS]
    for label in labels:
        for found in islice(label.finditer(text), _MOST_LABELS):
            is_about = label is _SURE or meta.search(text[found.end() : found.end() + _LONGEST])
            if is_about and text[: found.start()].strip():
                return text[: found.start()]
    before, blank, last = text.rstrip().rpartition("\n\n")
    if blank and "```" not in last and _is_remark(last, speaker):
        return before
    return text


def _is_remark(paragraph: str, speaker: Speaker) -> bool:
    found = _PARAGRAPH.match(paragraph)
    if not found:
        return False
    said = found[0].casefold()
    if "let me know" in said or "如果需要" in said:
        return bool(_TEXT_OFFERED.search(paragraph))
    return bool(_META[speaker].search(paragraph))

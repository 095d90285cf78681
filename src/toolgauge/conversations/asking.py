"""What an assistant's text wants of the user: it asks for something, offers something more, or only tells.

Both languages are looked for in every text: people mix them. What stands in code, quotations and tables is not said to
the user. A question that closes every answer ("anything else?") is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache

from msgspec import Struct

from toolgauge.annotation.grounding.values import alike, words
from toolgauge.annotation.leaning import content_words
from toolgauge.annotation.leaning.cue import any_of
from toolgauge.languages import HAN, has_han

LONGEST = 2000
"""Characters of a text, from its end, that are looked at."""
_FEW = 6
"""Content words that an offer may have beside it and still be all that is said."""


class Wants(StrEnum):
    """ASKS: something of the user, before it goes on. OFFERS: to do more than it was asked. TELLS: nothing."""

    ASKS = "asks"
    OFFERS = "offers"
    TELLS = "tells"


class AssistantText(Struct, frozen=True):
    """quote: the sentence that shows it; act: the word for what is offered, or is about to be done; alone: nothing but
    the offer is said; demands: the question is a demand ("please provide ...")."""

    wants: Wants
    quote: str = ""
    act: str = ""
    alone: bool = False
    demands: bool = False


_NOT_SAID = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]{1,300}`|^[^\S\n]*>[^\n]*|^[^\S\n]*\|[^\n]*\|[^\S\n]*$|https?://\S{1,500}|“[^”\n]{1,500}”|「[^」\n]{1,500}」"
    r"|\"[^\"\n]{1,500}\"|《[^》\n]{1,100}》",
    re.DOTALL | re.MULTILINE,
)
_SENTENCE = re.compile(r"(?<=[!?])\s+|(?<=[a-z\d)]\.)\s+|(?<=[。！？])|\n+")
_CLOSING = any_of(
    r"\banything else\b|\bsomething else\b|\belse (?:can|may|could) I\b|\bfurther (?:help|assistance|questions)\b"
    r"|\bhow (?:else )?(?:can|may) I (?:help|assist)\b|\bmore questions\b|\bother questions\b",
    r"\b(?:isn't it|aren't they|don't you think)\?\s*$",
    r"还有(?:什么|啥|别的|其他|其它)[^，。]{0,12}(?:吗|么|帮|需要|问题)|还需要(?:别的|其他|其它|什么|我)[^，。]{0,10}(?:吗|么)",
    r"(?:有|还有)(?:什么|啥)(?:可以|能|需要)?[^，。]{0,6}帮|有什么(?:其他|其它|别的)?问题",
)
"""Sentences that close an answer."""
_IF_WANTED = any_of(
    r"\b(?:let me know|tell me|just (?:ask|say)|say the word|feel free|shout|reach out|happy to help|here to help)\b"
    r"(?!.{0,20}\b(?:which|what|when|where|who|how|whether|your|the|a few|these|this information)\b"
    r"(?! (?:else|about)))",
    r"\b(?:if|whenever|in case|should) you(?:'d)? (?:need|want|like|wish|have|prefer|change|run into|are interested)\b",
    r"(?:如果|如|若|要是|有)(?:您|你|还|有|需|想|什么)?.{0,12}(?:随时|请|可以|欢迎|尽管).{0,6}(?:告诉|联系|说|问|找|叫)",
    r"(?:随时|尽管|欢迎)(?:告诉|联系|说|问|找|叫|吩咐|再来)|(?:跟|和)我说一声",
)
"""Sentences that leave it to the user."""
_OFFER = any_of(
    r"\b(?:would you like|do you want|d'you want|want|need|you(?:'d| would) like) me to (?P<want>\w+)",
    r"\b(?:shall|should) (?:I|we) (?:also |then |just |now |go ahead and )?(?P<shall>\w+)",
    r"\b(?:can|could|may) I (?:also |perhaps )?"
    r"(?P<may>book|order|help|find|look|check|send|get|show|suggest|recommend|add)",
    r"\bwould you (?:also )?(?:like|care) to (?:also )?"
    r"(?P<care>see|know|hear|learn|view|read|explore|discuss|review)\b",
    r"\b(?:would you like|do you want|are you interested in|interested in) (?:some |any |a few |to (?:see|hear|know) )?"
    r"(?P<more>more|further|additional|other|help)\b",
    r"\blet me know (?:if|whether) you(?:'d| would)? (?:like|want|wish|prefer) to (?:also )?(?P<if>\w+)",
    r"\bI (?:can|could) (?:also )?(?P<can>\w+)[^.?!]{0,80} if you(?:'d)? (?:like|want|wish)",
    r"(?:需要|要不要|要|想要|是否需要|用不用)我?(?:现在|再|也|顺便|继续)?(?:帮|为|给|替)(?:您|你)"
    r"(?P<help>[\u4e00-\u9fff]{1,3})",
    r"(?:需要|要不要|用不用|是否需要|是否要)我(?P<wo>[\u4e00-\u9fff]{1,3})",
    r"我(?:可以|能)(?:再|也|顺便)?(?:帮|为|给)(?:您|你)(?P<keyi>[\u4e00-\u9fff]{1,3})[^。？]{0,20}(?:吗|需要的话|要吗)",
)
"""Sentences that propose something; the group is what."""
_MORE = any_of(
    r"\b(?:also|too(?! (?:many|much|late|long))|as well)\b",
    r"也|另外|顺便|一并",
)
"""In offers: something beside what was done."""
_GO_AHEAD = re.compile("proceed|go|continue|confirm|finali[sz]e|complete|submit|(?:确认|继续|提交|下单).?")
"""Acts of proposals that are always those the user has asked for."""
_EITHER = any_of(r"\bor (?:would|do|should|shall|which|what) \w+", "还是")
"""In questions that let the user choose."""
_HELPS = re.compile("help|assist|do|more|further|additional|other|know|need|")
"""Acts that name nothing."""
_DEMAND = (
    r"\b(?:please|kindly|could you|can you|would you|will you|you(?:'ll)? need to)\s+"
    r"(?:also |first |just |kindly |please )?"
    r"(?:provide|specify|share|choose|select|give|enter|clarify|indicate|confirm|double-check)\b"
)
_ASK = any_of(
    r"\b(?:please|kindly|could you|can you|would you|will you|you(?:'ll)? need to)\s+"
    r"(?:also |first |just |kindly |please )?(?:(?:let me know|tell me|say)\b(?! if\b| whether\b)"
    r"|(?:tell|pick|state|name|supply|send me|list|describe|type|reply|weigh|verify|upload)\b(?! me\b))",
    _DEMAND,
    r"\blet me know\b.{0,20}\b(?:which|what|when|where|who|how|whether|your|the|a few|these)\b",
    r"\b(?:tell me|give me|send me)\b.{0,20}\b(?:which|what|when|where|who|how|whether|your|the|more about)\b",
    r"\bI(?:'ll| will| would|'d| also| still| just| do)?(?: also| still| just)? need "
    r"(?:the|your|to know|a (?:few|bit)|an?\b|some|more|at least|you to|one more|both|that|it)\b",
    r"\b(?:I'm|I am|we're) missing\b|\b(?:is|are) (?:still )?(?:needed|required|missing)\b",
    r"\bI(?:'d| would) like to know\b",
    r"\b(?:once|as soon as|after) you (?:provide|tell|give|share|confirm|send|choose|let)\b|\bwaiting for your\b",
    r"(?:请|麻烦|烦请|劳驾|还请|得请)(?:您|你)?(?:先|再|把|将|也|直接|具体|详细|一并|帮我)?[^，。？]{0,12}?"
    r"(?:提供|告诉|告知|说明|说下|说一下|说说|确认|选择|选一|输入|补充|指定|明确|发我|发给我|发一下|给我|给一下|报一下|填写|描述|回复|列出|称一下)",
    r"(?:需要|得|还差|还缺)(?:您|你)?(?:先|再)?(?:提供|告诉|知道|确认|了解|补充|说明|明确|告知)|还(?:差|缺)|请问",
    r"(?:告诉|告知|发给?|报给?|说给)我(?:一下|下|一声)?(?:$|[，。！；：]|您|你|具体|要|想|哪|什么|几)|发我一下|说一下$",
    r"^(?:您|你)?(?:想|要|打算)?[^，。]{0,12}(?:是(?:多少|什么|哪|几|谁)|怎么称呼|哪(?:天|里|儿|家|个|种|位)|几(?:点|位|个|号|天))[^，。]{0,4}$",
)
"""Sentences that demand something, with or without a question mark."""
_REFUSES = any_of(r"\bcan(?:'t|not|’t)\b|\bunable\b|\bsorry\b", r"(?:没法|无法|不能|办不了|做不了|抱歉)")
_DEMANDED = any_of(_DEMAND)
"""Demands that hold whatever the user wants."""
_OF_DUTY = any_of(_DEMAND, r"\bconfirm|\bproceed|确认|是否")
"""Questions that belong to something that is to be done."""
_CONSENT = any_of(
    r"\bconfirm|\bproceed|\bcorrect\b|\bgo ahead|\bright\?",
    r"\b(?:is|are|do|does|would|will|shall|should|okay|ok) (?:that|this|you|it|I)\b",
    r"确认|是否|吗|对不对|行不行|可以么|好不好",
)
"""Questions that want a yes."""
_WAIT = any_of(
    r"^\W*(?:(?:ok|okay|sure|alright|certainly|of course|absolutely|great|got it|thanks?|thank you|understood)"
    r"\b\W*){0,4}"
    r"(?:(?:just )?(?:one|a) (?:moment|second|sec|minute)|hold on|hang on|please wait|bear with me"
    r"|(?:let me|I'll|I will|I am going to|I'm going to)(?: just| now| quickly)? "
    r"(?:check|look|search|find|see|get|pull|fetch|do|start))"
    r"[^?]{0,120}$",
    r"^\W*(?:(?:好的?|可以|行|没问题|收到|明白)[，。！\s]*)*(?:请?稍[等候]|等一下|等我|我(?:这就|马上|来|先|帮您|帮你|现在)?(?:去)?(?:查|看|找|搜)|正在)"
    r"[^？?]{0,60}$",
)
"""Texts that only say what will be done."""


def read_text(text: str) -> AssistantText:
    """What a text of the assistant wants: the last sentence that asks decides, else the last that offers."""
    return _read(text[-LONGEST:])


@lru_cache(maxsize=256)
def _read(text: str) -> AssistantText:
    said = _NOT_SAID.sub(" ", text)
    sentences = [one for one in (part.strip(" *_#-•\t") for part in _SENTENCE.split(said)) if one]
    offer: AssistantText | None = None
    plain: list[str] = []
    for sentence in reversed(sentences):
        found = _OFFER.search(sentence)
        act = next((one for one in found.groups() if one), "").casefold() if found else ""
        if _CLOSING.search(sentence) and (not found or _HELPS.fullmatch(act)):
            continue
        if _GO_AHEAD.fullmatch(act) or (found and _EITHER.search(sentence)):
            return AssistantText(Wants.ASKS, sentence, act)
        is_question = "?" in sentence or "？" in sentence
        if found and not (_ASK.search(sentence) and not is_question):
            offer = offer or AssistantText(Wants.OFFERS, sentence, act)
        elif _IF_WANTED.search(sentence) and not is_question and not _DEMANDED.search(sentence):
            continue
        elif is_question or _ASK.search(sentence):
            return AssistantText(Wants.ASKS, sentence, demands=bool(_ASK.search(sentence) or _OF_DUTY.search(sentence)))
        else:
            plain.append(sentence)
    if offer is None:
        return AssistantText(Wants.TELLS)
    beside = sum(len(content_of(sentence)) for sentence in plain)
    return AssistantText(Wants.OFFERS, offer.quote, offer.act, beside <= _FEW and not _REFUSES.search(said))


def only_announces(text: str) -> bool:
    """Does it only say what will be done ("one moment", 稍等)?"""
    return len(text) < LONGEST and _WAIT.search(text.strip()) is not None


def is_asked_for(act: str, requests: Iterable[str]) -> bool:
    """Is what an offer proposes what the user has asked for?"""
    for request in requests:
        if HAN.search(act):
            if any(one in request for one in act if one not in "您你我一下的个这那再也"):
                return True
        elif act and any(alike(act, word) for word in words(request)):
            return True
    return False


def offers_more(sentence: str) -> bool:
    """Does an offer say that it comes on top of what was done ("refund the other one, too")?"""
    return _MORE.search(sentence) is not None


def is_for_consent(sentence: str) -> bool:
    """Can a question be answered by yes and nothing else?"""
    return _CONSENT.search(sentence) is not None


def content_of(text: str) -> list[str]:
    """The content words of a text, in the language that it is written in."""
    return content_words(text, "zh" if has_han(text) else "en")

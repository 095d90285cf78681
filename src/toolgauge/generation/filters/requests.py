"""Does a sentence ask for something to be done or looked up? By its form, in both languages.

Asking for an explanation, an opinion or a text ("explain", "tell me why", "write a poem") is no such request: that is
answered without a tool.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_DOING = (
    "add|adjust|alert|analy[sz]e|approve|arrange|assess|block|book|buy|calculate|call|cancel|change|check|close|compute"
    "|configure|convert|create|customi[sz]e|delete|deploy|determine|dim|disable|download|enable|estimate|evaluate|extend"
    "|fetch|file|find|forward|freeze|generate|get|identify|invite|list|locate|lock|log|look up|make|measure|monitor"
    "|move|open|optimi[sz]e|order|pause|pay|place|play|post|predict|provide|publish|purchase|push|record|refund"
    "|register|remove|rename|renew|rent|replace|report|request|reschedule|reserve|restart|retrieve|return|run|save"
    "|schedule|search|send|set|share|show|sign|skip|start|stop|submit|subscribe|switch|sync|track|transfer|turn|unlock"
    "|update|upload|verify|withdraw"
)
_BEFORE = (
    r"(?:(?:hi|hello|hey|ok(?:ay)?|so|and|also|now|then|next|first|please|pls|plz|just|alright|great|thanks|thx|cool|sure"
    r"|yes|yeah|besides that|by the way|btw|n|oh)[\s,:!.]+){0,4}"
)
_ENGLISH = re.compile(
    rf"^\s*{_BEFORE}(?:{_DOING})\b"
    rf"|\b(?:can|could|would|will) (?:you|u) (?:please |also |pls |help (?:me )?(?:to )?)?(?:{_DOING})\b"
    rf"|\b(?:please|pls|plz) (?:help (?:me )?(?:to )?)?(?:{_DOING})\b|\bhelp (?:me|us) (?:to )?(?:{_DOING})\b"
    rf"|(?<!do )(?<!should )(?<!did )\bi(?:'d| would)? (?:want|need|like|wanna)(?: you)? to (?:{_DOING})\b"
    r"|(?<!do )(?<!should )(?<!did )\bi(?:'d| would)? (?:want|need|like) (?:an?|my|some|\d+|two|three) "
    rf"|\blet's (?:{_DOING})\b",
    re.IGNORECASE,
)
_HAN_DOING = (
    "查|找|订|预订|预约|买|发|列|算|计算|开|打开|关|关掉|关闭|搜|放|播|设|加|添加|取消|生成|创建|安排|检查|获取|转|转换|改"
    "|修改|更新|更改|删|删除|报名|评估|分析|提供|提醒|监控|优化|登记|记录|充|缴|交|寄|叫|租|退"
)
_CHINESE = re.compile(
    r"帮(?:我|我们|忙)|麻烦(?:你|您|帮|把|给|查|订)|(?<!已经)给我(?:{0})|请(?!问)(?:你|您|帮|为|把|给|将)?(?:{0})"
    r"|(?<!你)我(?:想要?|要|需要)(?:{0})|^(?:那|再|顺便|另外|还有|然后|你好|嗨|好)?[，,、]?(?:{0})(?:一下|下|个|张|份|点)".format(
        f"(?:{_HAN_DOING})"
    )
)
_OPINION = re.compile(
    r"^\W*(?:(?:and|but|so|also)\s+)?why\b"
    r"|^\W*(?:is|are|am|was|were|isn't|do|does|should)\b.*\b(?:too|worth|rude|normal|dumb|silly|weird|wrong)\b"
    r"|为什么|为啥|凭什么|值不值|值得吗|正常吗|有没有必要|有必要吗",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?:[^.!?。！？\n;；]|[.](?=\w))+[.!?。！？\n;；]*")


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, without blanks around them."""
    yield from (said for found in _SENTENCE.finditer(text) if (said := found[0].strip()))


def is_request(sentence: str, language: str) -> bool:
    """Does it ask for something to be done or looked up?"""
    return bool((_ENGLISH if language == "en" else _CHINESE).search(sentence))


def is_opinion(sentence: str) -> bool:
    """Does it ask why something is so, or what one thinks of it? No look-up answers that."""
    return bool(_OPINION.search(sentence))

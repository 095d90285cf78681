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
    rf"|[,;]\s*(?:please |just |then )?(?:{_DOING})\b[^,;]{{3,80}}\b(?:please|pls|plz|to \d)"
    r"|^\W*(?:put|write|note) (?:it |this )?down\b"
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
_CHINESE_DOING = re.compile(
    r"把[^，。！？]{1,12}(?:关了?|打开|调到|设为|设成|改到|改成|发到|发给|发送|转给|放到|记下|删|取消)"
    r"|(?:调到|设到|设为|设成|改到|改成)\s?\d|发一?条(?:消息|通知|信息)|建[一个]{1,2}(?:歌单|日程|清单|群)"
    rf"|(?:^|[，。！])[就那再先]?(?:{_HAN_DOING})[一两二三四五六七八九十几\d]{{1,3}}[个张份条首股间位瓶件次]"
)
_ABOUT_FACTS = re.compile(
    r"\b(?:what time|how (?:much|many|long|far|late)|which|who (?:plays|is|are|wrote|directed)|where"
    r"|when (?:does|do|is|are)|what(?:'s| is| are| was| were| can)|is there|are there|any(?:thing)?|do they have"
    r"|did|has)\b"
    r"|多少|几点|几号|哪些|哪家|哪里|哪儿|有没有|有哪|多长|多远|什么时候|还有.{0,12}吗|谁.{0,4}的|怎么样|有什么|聊了",
    re.IGNORECASE,
)
_DEFINITE = re.compile(
    r"(?-i:(?<=[a-z,] )[A-Z][a-z]{2,})|\d|《"
    r"|\b(?:today|tonight|tomorrow|yesterday|right now|last night|this (?:week|weekend|month|evening|morning)"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|at home|there|my)\b"
    r"|今天|今晚|明天|昨天|昨晚|现在|这周|本周|这个?月|周[一二三四五六日末]|星期|最近[一二三四五六七几]|附近|这部|他家|家里|我的",
    re.IGNORECASE,
)
"""Something particular: a name, a number, a day, what is the user's own."""
_OPINION = re.compile(
    r"^\W*(?:(?:and|but|so|also)\s+)?why\b"
    r"|^\W*(?:is|are|am|was|were|isn't|do|does|should)\b.*\b(?:too|worth|rude|normal|dumb|silly|weird|wrong)\b"
    r"|\bdo you (?:think|ever|prefer|like|feel|believe|get|have a)\b|\b(?:in your opinion|your favou?rite)\b"
    r"|为什么|为啥|凭什么|怎么[这那]么|值不值|值得吗|正常吗|好吗|你觉得|你喜欢|有没有必要|有必要吗",
    re.IGNORECASE,
)
_TEXT = (
    r"(?:poem|joke|limerick|haiku|story|stories|slogan|toast|rhyme|riddle|pun|verse|cheer|compliment|sentence|word)s?"
)
_WRITING = re.compile(
    r"\b(?:write|compose|draft|make up|think up|come up with)\b(?! (?:(?:it|this|that|them) )?(?:down|to|in|into)\b)"
    r"(?! (?:it|this|that|them)\b)[^,;:]*"
    rf"|\b(?:create|generate|make|find)\b(?: [\w-]+){{0,4}} {_TEXT}\b[^,;:]*"
    r"|(?:写|拟|编|起草|构思|创作)(?:上|出)?[一两二三四五六七八九十几\d]{0,2}[首段句篇个封条份则副点些几][^，；：]*",
    re.IGNORECASE,
)
_DELIVERED = re.compile(
    rf"(?:\b(?:and|then)|[,;]) (?:then |please |just ){{0,3}}(?:{_DOING}|mail|e-?mail|text)\b"
    r"|发给|发送|发到|发出|寄给|寄到|保存|存到|存进|记到|提交[给到]|贴到|推送|传给|转给",
    re.IGNORECASE,
)
"""What is to become of a text that is to be written, beside its being read."""
_SENTENCE = re.compile(r"(?:[^.!?。！？\n;；]|[.](?=\w))+[.!?。！？\n;；]*")


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, without blanks around them."""
    yield from (said for found in _SENTENCE.finditer(text) if (said := found[0].strip()))


def is_request(sentence: str, language: str) -> bool:
    """Does it ask for something to be done or looked up?"""
    if language == "en":
        return bool(_ENGLISH.search(sentence))
    return bool(_CHINESE.search(sentence) or _CHINESE_DOING.search(sentence))


def asked_text(sentence: str) -> str:
    """Which text is asked to be written, up to what is said about it; empty where none is, or more is asked for."""
    found = _WRITING.search(sentence)
    if not found or _DELIVERED.search(sentence):
        return ""
    return found[0].partition(" ")[2] if found[0][0].isascii() else found[0][1:]


def is_lookup(sentence: str) -> bool:
    """Does it ask for a fact about something particular ("What time is Dune on Saturday?")?"""
    is_question = not sentence.isascii() or "?" in sentence or _ABOUT_FACTS.match(sentence)
    return bool(is_question and _ABOUT_FACTS.search(sentence) and _DEFINITE.search(sentence))


def is_opinion(sentence: str) -> bool:
    """Does it ask why something is so, or what one thinks of it? No look-up answers that."""
    return bool(_OPINION.search(sentence))

"""What a message of the user does with what the assistant has said, as far as its own words show it.

Both languages are looked for in every message, as in asking.py.
"""

from __future__ import annotations

import re

from toolgauge.annotation.grounding.values import alike, words
from toolgauge.annotation.leaning.cue import any_of
from toolgauge.conversations.asking import content_of
from toolgauge.languages import has_han

LONGEST = 1000
"""Characters of a message that are looked at."""
_MOST_WORDS = 12
"""Words of thanks."""
_ENOUGH = 3
"""Content words of a message that asks for something by itself."""
_YES = any_of(
    r"^\W*(?:yes|yeah|yep|yup|sure|ok(?:ay)?|k|correct|right|exactly|go ahead|please do|do it|do that|sounds good"
    r"|confirm(?:ed)?|absolutely|definitely|of course|perfect|that works|proceed)\b",
    r"^\W*(?:是的?|对的?|好的?|可以的?|行|确认|没错|嗯+|要的?|没问题|就这样|当然|同意)(?=$|[\s，。！,.!吧啊呀的])",
)
_CORRECTS = any_of(
    r"^\W*(?:(?:oh|ah|hm+|um+|ok(?:ay)?|sorry|well)\W+){0,2}(?:no+|nope|nah|not\b|wait|actually|oops|i meant?|i said"
    r"|scratch that|correction|make (?:it|that)|change (?:it|that))\b",
    r"^\W*(?:啊|哦|哎呀?|呃)?[，, ]{0,2}(?:不对|不是|错了|等等|等下|我是说|我的意思|说错|打错|记错|搞错|改成|改为|换成"
    r"|不要|不用)",
)
_DROPS = re.compile(
    r"^\W*(?:(?:oh|ah|hm+|ok(?:ay)?|sorry|well|actually|no)\W+){0,3}(?:never ?mind|forget (?:it|that|about)"
    r"|(?:leave|skip|drop) (?:it|that)|let's not|not now|different (?:question|topic)|something else"
    r"|another (?:question|thing|topic))\b"
    r"|^\W*(?:哦|啊|呃|唉)?[，, ]{0,2}(?:算了|先不|不用了|不弄了|别管|先别|换个(?:话题|问题|事)|说点别的|另外问)",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|hey|hi|hello|oh|so|and|also|wait|hm+|well|by the way|btw|before that|first|quick question)"
    r"\W+){0,3}"
    r"(?:(?:please|pls|could you|can you|would you|will you|can i|could i|i need|i want|i'd like|i would like|let's)\b"
    r"|(?:what|when|where|who|how|why|which)(?:'s|s|'re| \w+)? "
    r"(?:is|are|does|do|did|has|have|will|can|could|would|the|my)\b"
    r"|(?:is|are|does|do|did|has|have|will)\b"
    r"|(?:show|find|book|search|check|tell|give|send|get|look|list|create|cancel|set|add|make|play|order|convert"
    r"|calculate|open|turn)\b)"
    r"|^[^，。]{0,6}(?:帮我|给我|我想|我要|请|麻烦|能不能|可以帮|查|看看|搜|找|订|设|发|怎么|什么|哪)",
    re.IGNORECASE,
)
_SMALL_WORD = re.compile(
    r"thanks?|thx|ty|cheers|bye|goodbye|appreciate|hello|hi|hey|great|good|perfect|awesome|cool|nice|lovely|wonderful"
    r"|excellent|super|amazing|brilliant|fantastic|ok|okay|k|alright|fine|yes|yeah|sure|no|nope|got|understood|noted|done"
    r"|set|wow|haha|lol|yay|works|sounds|helpful|help|you|your|so|very|really|much|a|lot|many|all|right|it|its|it's|see|ya"
    r"|information|info|explanation|later|have|day|night|morning|evening|afternoon|one|that|that's|thats|is|was|for|now|everything|nothing|else|i|i'm"
    r"|im|am|the|will|do|been|and|enough|there|then"
)
_GIST = re.compile(
    r"thank|thx|\bty\b|bye|cheers|hello|^\W*(?:hi|hey)\b|appreciate|great|perfect|good|nice|ok|cool|no\b|done|wow|haha|lol",
    re.IGNORECASE,
)
"""A word of which one must stand in what is nothing but small words."""
_COURTESY = re.compile(
    r"(?:非常|多|太|好的?|嗯+|哦|行|可以|收到|明白|知道)?了?(?:感谢|谢谢|谢了|多谢|谢啦|辛苦|拜拜?|再见|你好|您好|早上好|晚安|晚上好"
    r"|好的?|不错|太好|太棒|没了|没有了|不用了?|知道|明白|收到|可以|没事|行|嗯+|哈+|完美|厉害|赞)"
    r"(?:了|啦|你|您|啊|呀|哈|吧|的|帮助|帮忙)*"
)


def confirms(message: str) -> bool:
    """Does it begin with a yes?"""
    return _YES.search(message[:LONGEST]) is not None


def corrects(message: str) -> bool:
    """Does it begin by taking something back?"""
    return _CORRECTS.search(message[:LONGEST]) is not None


def is_courtesy(message: str) -> bool:
    """Is it nothing but thanks, a greeting or an acknowledgement?"""
    text = message[:LONGEST].strip()
    if has_han(text):
        parts = [one for one in re.split(r"[\W_]+", text) if one]
        return bool(parts) and all(_COURTESY.fullmatch(part) for part in parts)
    said = re.findall(r"[\w']+", text.casefold())
    return 0 < len(said) <= _MOST_WORDS and all(map(_SMALL_WORD.fullmatch, said)) and bool(_GIST.search(text))


def drops(message: str) -> bool:
    """Does it give up what was spoken of ("never mind", 算了), and ask for something else?"""
    found = _DROPS.match(message[:LONGEST])
    return found is not None and len(content_of(message[found.end() : LONGEST])) >= _ENOUGH - 1


def asks_for_itself(message: str, said: str) -> bool:
    """Does it ask for something of its own? It begins as a request and shares no word with what was said."""
    text = message[:LONGEST]
    named = content_of(text)
    if len(named) < _ENOUGH or not _REQUEST.match(text):
        return False
    known = set(words(said))
    return not any(alike(word, one) for word in named for one in known)

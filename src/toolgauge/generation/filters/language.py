"""A dialogue keeps to its language: no Chinese in an English one, no foreign sentences in either.

Names, codes, titles and quotations may be of any language: what stands in quotation marks, code and paths, a word
that is spoken of ("the sign 出口"), and for who answers what the user, a call or a result said. Of languages in Latin
letters those are known that FOREIGN has words of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolgauge.annotation.dialogue import Dialogue, Entry, Speaker
from toolgauge.annotation.grounding.values import leaves
from toolgauge.data.session import Session
from toolgauge.generation.filters.filter import against
from toolgauge.languages import HAN

_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffdf]+")
_OTHER = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]+|[\u0370-\u1fff]{2,}")
"""Letters of neither language: kana, Hangul; Greek, Cyrillic, Arabic, Indian scripts, of which one alone is a sign."""
_CODE = re.compile(
    r"```.*?```|`[^`]*+`|https?://[!-~]+|[!-~][!-?A-~]{0,63}+@[!-~]+|(?:[A-Za-z]:[\\/]|~/|\.{1,2}/|(?<!\S)/)\S*"
    r"|[^\W_]{0,40}+_[\w.]*|[A-Za-z][\w-]{0,40}+:|[^\W\d]{0,100}+-{0,100}+(?:(?<=-)\w|\d|[./:]\w)[\w./:-]*",
    re.DOTALL,
)
"""Nothing is tried in two ways from the same place, so the time grows with the text, even if that is one long word."""
_QUOTED = re.compile(
    r"“[^”\n]{1,300}+”|\"[^\"\n]{1,300}+\"|(?<!\w)'[^\n]{1,300}?'(?!\w)|‘[^\n]{1,300}?’(?!\w)|「[^」\n]{1,300}+」"
    r"|《[^》\n]{1,300}+》|『[^』\n]{1,300}+』|(?:内容|正文|标题|译文|原文|歌词|短信|备注|句话?呢?|句子|如下)[是为]?[:：][^\n，。]{1,300}"
)
_SPOKEN_OF = re.compile(
    r"\b(?:names?|named|called|words?|phrase|sign|song|title|film|movie|book|says?|means?|spell\w*|characters?|kanji"
    r"|hanzi|chinese|japanese|korean|mandarin|cantonese|russian|greek|arabic|translat\w+|pronounce\w*|written|read"
    r"|in english)\b|(?:给|叫|名字?是?|联系|约|单词|意思|翻译|日语|韩语|俄语|希腊语)",
    re.IGNORECASE,
)
"""What is said of a name or a word of another language."""
_LONGEST_NAME = 12
_WORD = re.compile(r"(?<![A-Za-z])[a-z]{2,}(?:['’][a-z]+)?(?![A-Za-z])")
"""Of Latin words only those in lower case: names begin with a capital."""
_LATIN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
FREE_WORDS = 3
"""Foreign words that are tolerated in a text."""
SHARE = 0.5
"""Foreign words per Chinese character from which on a text is not Chinese any more."""
_WORDS = re.compile(r"\S+")
ENGLISH = frozenset(
    _WORDS.findall(
        "the a an is are was were be to of in on at for from with and or but not my your his her our their it this"
        " that i you me we they he she what what's where when how who which please can could would do does did have"
        " has there here then thanks thank very will if by as"
    )
)
FOREIGN = frozenset(
    _WORDS.findall(
        "ich und der das nicht ist ein eine einen einem für mit bitte von zwei heute möchte auf im den dem zum zur wie"
        " wir sie beim es gibt nach uhr wurde wird hat haben ihr ihre sind kein noch bei aus dass sich als vom je le"
        " les des une est pour vous avec dans sur qui merci bonjour du nous mon ma au aux quel quelle c'est d'accord"
        " j'ai votre cette el los las una para por que con está puedes hola mañana como qué del buscar quiero favor mi"
        " mis necesito puede quisiera gracias cancelar reserva il che per sono vorrei grazie não uma obrigado você het"
        " een voor niet ik"
    )
)
"""Small words of German, French, Spanish, Italian, Portuguese and Dutch, none of which is English."""
_FEWEST = 3


def impure(session: Session, dialogue: Dialogue) -> Iterator[dict[str, object]]:
    """Finds messages, thoughts and plans in another language than the dialogue's."""
    known = frozenset[str]() if dialogue.language == "en" else _vocabulary(session)
    said = _said(session)
    for number, entry in enumerate(dialogue.kept):
        if entry.task < dialogue.earlier or number < dialogue.judged:
            continue
        for part, text in _texts(entry):
            own = _without_quotations(text)
            heard = "" if part == Speaker.USER.value else said
            if dialogue.language == "en":
                found = _script(own, heard, _CJK) or _script(own, heard, _OTHER) or _sentence(own, ENGLISH)
            else:
                found = _script(own, heard, _OTHER) or _sentence(own, frozenset()) or _not_chinese(own, known)
            if found:
                yield against(session.tasks[entry.task], entry=number, path=part, value=found[:80])


def _texts(entry: Entry) -> Iterator[tuple[str, str]]:
    """What an entry says, part by part."""
    if entry.speaker in (Speaker.USER, Speaker.AGENT):
        yield entry.speaker.value, entry.text
    if entry.decision is not None:
        yield from (("thought", entry.decision.thought), ("plan", entry.decision.plan))


def _without_quotations(text: str) -> str:
    return _QUOTED.sub(" ", _CODE.sub(" ", text))


def _script(text: str, heard: str, letters: re.Pattern[str]) -> str:
    """Letters of another script that are no name of which is spoken and were not heard before."""
    found: list[str] = [run for run in letters.findall(text) if run not in heard]
    if not found or (sum(map(len, found)) <= _LONGEST_NAME and _SPOKEN_OF.search(letters.sub(" ", text))):
        return ""
    return found[0]


def _sentence(text: str, own: frozenset[str]) -> str:
    """Small words of a foreign language in Latin letters that outnumber those of the own."""
    words = [word.casefold() for word in _LATIN.findall(text)]
    foreign = [word for word in words if word in FOREIGN]
    is_foreign = len(foreign) >= _FEWEST and len(foreign) > sum(word in own for word in words)
    return " ".join(foreign) if is_foreign else ""


def _not_chinese(text: str, known: frozenset[str]) -> str:
    """Words that make a text no Chinese one: too many in lower case, or an English sentence without any Chinese."""
    characters = len(HAN.findall(text))
    all_words = [word for word in _LATIN.findall(text) if word.isascii()]
    if not characters and len(all_words) > FREE_WORDS and sum(word.lower() in ENGLISH for word in all_words) > 1:
        return " ".join(all_words)
    words = [word for word in _WORD.findall(text) if word not in known]
    return " ".join(words) if len(words) > max(FREE_WORDS, SHARE * characters) else ""


def _said(session: Session) -> str:
    """What users, calls and results said, for whoever answers them."""
    texts = [
        text for task in session.tasks for text in (task.utterance, *(call.user_input or "" for call in task.calls))
    ]
    calls = [call for task in session.tasks for call in task.calls if call.is_tool]
    values = [value for call in calls for source in (call.arguments, call.observation) for _, value in leaves(source)]
    return "\n".join([*texts, *(value for value in values if isinstance(value, str))])


def _vocabulary(session: Session) -> frozenset[str]:
    """Words of the tools, calls and results, which messages about these may contain."""
    texts = [tool.name for tool in session.tools]
    for tool in session.tools:
        texts += tool.properties
    for task in session.tasks:
        for call in task.calls:
            texts += [str(value) for source in (call.arguments, call.observation) for _, value in leaves(source)
                      if call.is_tool]  # fmt: skip
    return frozenset(
        word for text in texts for word in _WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower())
    )

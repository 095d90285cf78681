"""Cues in English messages (cues.py)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from toolgauge.annotation.leaning.cue import Cue, Lean, any_of


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split("|"))


LIGHT = _listed(
    "a|since|about|above|actually|after|again|ago|ah|all|alright|also|am|an|and|another|any|anything|are|as|ask"
    "|asked|at"
    "|awesome|back|bad|be|been|before|beginning|being|best|better|bit|but|by|bye|can|check|could|cool|course|did|do"
    "|does|doesn't|doing|don't|done|down|each|earlier|else|enough|every|exactly|excellent|fantastic|find|fine|first"
    "|for|forgot|from|get|gets|give|go|going|good|got|great|had|has|have|he|hello|help|helps|her|here|hers|hey|hi"
    "|him|his|hm|hmm|how|i|i'd|i'll|i'm|i've|if|in|into|is|isn't|it|it's|its|just|know|last|later|least|let|let's"
    "|like|look|looking|looks|lot|lovely|make|many|matter|may|maybe|me|mean|meant|mentioned|mentioning|might|mind"
    "|moment|more|much|must|my|need|next|nice|no|not|nothing|now|of|off|oh|ok|okay|on|once|one|ones|oops|or|other"
    "|our|out|over|perfect|please|possible|pretty|question|quick|quickly|quite|really|reminds|request|right|said"
    "|same|say|see|send|sent|shall|she|should|show|so|some|something|soon|sorry|sounds|speaking|started|still|super"
    "|sure|take|tell|thank|thanks|that|that's|the|their|them|then|there|there's|these|they|thing|think|this|those"
    "|though|time|to|told|too|topic|try|two|under|until|up|us|use|very|wait|want|was|we|well|were|what|what's|when"
    "|where|which|while|who|why|will|wish|with|won't|wonderful|works|would|wow|yeah|yep|yes|yet|you|you're|your"
)
"""Words that name nothing a pronoun could stand for."""
_VERB = _listed(
    "add|allow|am|answer|are|arrive|ask|be|become|begin|book|break|bring|build|buy|buzz|calculate|call|can|cancel"
    "|change|charge|check|choose|clean|close|come|compare|compute|convert|cook|copy|cost|could|count|create|cut"
    "|decide|define|delete|deliver|describe|did|die|do|does|don't|download|draw|drive|eat|email|end|explain|fill"
    "|find|finish|fit|fix|fly|forward|get|give|go|grow|had|handle|has|have|hear|help|hold|how|i|i'd|i'll|i'm|i've"
    "|include|is|isn't|it's|keep|know|lay|leave|left|let|let's|like|list|listen|live|locate|log|look|lose|love|made"
    "|make|matter|may|mean|meet|mention|might|move|must|name|need|open|order|pack|park|pay|pick|plan|play"
    "|post|prefer|print|pull|push|put|read|rain|recommend|record|remember|remind|remove|rename|rent|repeat|replace"
    "|reply|reschedule|reserve|return|run|save|say|schedule|search|see|sell|send|set|shall|share|should|show|shut"
    "|sing|sit|skip|sleep|snow|sort|speak|spell|spend|stand|start|stay|stop|submit|subscribe|suggest|sum|summarise"
    "|summarize|switch|sync|take|talk|teach|tell|test|there's|think|transfer|translate|travel|try|turn|type|update"
    "|upload|use|visit|wait|wake|walk|want|was|wash|watch|we|wear|were|what|what's|when|where|where's|which|who"
    "|who's|why|will|win|wish|won't|work|would|write|you"
)
_STARTS = _listed(
    "a|again|also|an|and|another|around|as|at|below|between|both|but|by|during|each|either|every|except|fewer|for"
    "|from|in|inside|instead|into|just|less|like|maybe|me|mine|more|my|n|near|next|not|nothing|off|on|one|only|onto"
    "|or|our|outside|over|per|plus|same|since|something|than|the|then|these|this|those|three|to|too|twice|two|under"
    "|until|up|via|with|without"
)
"""First words of messages that only go on with another."""
_MOST_WORDS = 7
_QUOTED = re.compile(r"\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|`[^`\n]{1,300}`|(?<!\w)'[^'\n]{1,300}'(?!\w)")
_WORD = re.compile(r"[\w'’-]+")
_BOUNDARY = any_of(
    r"[,;:!?()…—–]",
    r"\.(?!\w)",
    r"\b(?:and|but|or|then|so|if|whether|when|while|because|until|unless|which|who|whose|how|what|what's"
    r"|where|where's|please|to)\b",
    r"(?<=\w)\s(?=I\b|I'm\b|you\b|we\b)",
)
_EXPLETIVE = any_of(
    r"\b(?:does|did|would) it (?:mean|help|matter|hurt)\b",
    r"\bhow (?:far|late|early|high|deep) (?:is|was) it\b",
    r"\bit(?:'s| is| was| will be|'ll be| would be| has been| seems| looks like| sounds like| turns out"
    r"| depends| takes?| took| (?:will |would |might |may )?(?:take|cost)s?| rains?| snows?)\b",
    r"\b(?:is|was|isn't|will|would|does|did|has|if|whether|when|how long does|how long would"
    r"|how long will) it(?= (?:be |still |already |also |ever |usually |really |so |too |any |going to "
    r"|gonna |been )?(?:take|rain|snow|warm|cold|hot|wind|sunn|cloud|fog|wet|dry|gr[ae]y|humid|mild|chill"
    r"|icy|storm|nice|outside|dark|light|late|early|freez|true|possible|normal|safe|ok|worth|better|legal"
    r"|allowed|common|rude|necessary|time|fine|alright|weird|hard|easy|bad|good|a |an |the |that |get "
    r"|at )\w*)",
    r"\bmake(?:s)? it(?= (?:to|quick|snappy|short|happen|work|easy|easier|clear|sound|look|so|through|home"
    r"|back)\b)",
    r"\b(?:can't|couldn't|can|could|will|won't|won’t|not) make it\b",
    r"\b(?:keep|leave|call|believe|get|take|put|appreciate|as|say) it(?= (?:short|brief|simple|under"
    r"|between|casual|formal|at that|a day|or not|easy|this way|is|were)\b)",
    r"\b(?:when it comes to|that's it|so be it|i appreciate it|how's it going|as it were|it's all right"
    r"|what time is it|they say|that reminds me|on that note|done with that|thanks for that|while i'm at it"
    r"|before i forget it|so (?:that )?you have it|that is to say|that being said|that said|that's all"
    r"|that's why|is that (?:ok|okay|all right)|something like that|or something like that|like that"
    r"|and that is (?:final|all|it)|this and that|over there in|them all the best|his or her"
    r"|this is (?!for\b|the\b|too\b|not\b)\w+)",
)
"""What stands for nothing: the subject of weather and time, idioms."""
_REACTION = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|great|thanks|nice|good|perfect|cool|hm+|oh|ah|well|wow)\W+){0,3}(?:that|this"
    r"|it)(?:'s|’s| is| was| looks?| look| sounds?| helps?| helped| works?| worked| makes sense| does(?:n't"
    r"|n’t| not)?| did(?:n't| not)?| will do| would be| should do)\b[^.!?;:]{0,60}[.!;](?=\s*\w)",
    re.IGNORECASE,
)
"""A sentence about the last reply that asks for nothing; something follows it."""
_PRONOUN = re.compile(r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers)\b(?!['’])", re.IGNORECASE)
_OBJECTS = frozenset({"it", "them", "him"})
_PERIODS = (
    r"(?:coming |past |last |next |very )?(?:week|weekend|month|year|morning|afternoon|evening|night|summer"
    r"|winter|spring|autumn|fall|quarter|semester|season|time|way|point|moment|century|decade|minute|term"
    r"|holiday|christmas|easter|\w+day|january|february|march|april|may|june|july|august|september|october"
    r"|november|december)s?\b"
)
_ENDS = (
    r"(?=\s*(?:$|[,.?!;)])|\s+(?:and|or|please|pls|plz|thx|for|to|in|on|with|from|by|at|as|too|again|now"
    r"|instead|off|out|up|whether|then|before|until|is|are|was|were|has|have|does|do|can|will|would|works?"
    r"|cost|costs|open|closed|today|tomorrow)\b)"
)
_PREPOSITION = r"of|for|at|in|on|to|with|from|about|by|than|near|under|around|into|all"
_REQUEST = (
    r"(?:^|[,.;!?:]\s{1,3}|\b(?:please|to|you|and|then|just|now|also|me|let's) )(?:cancel|book|show|send"
    r"|take|use|open|move|push|add|put|change|update|delete|remove|read|share|print|reserve|keep|rename"
    r"|translate|save|post|forward|buy|order|pay|play|mail|email|copy|close|return|do|did|repeat|give|get"
    r"|summari[sz]e|shorten|send me|show me|give me|turn|switch|try|run)"
)
"""Behind these "that" is no conjunction."""
_NO_NOUN = (
    r"(?:is|are|was|were|has|had|have|can|could|will|would|should|might|may|does|did|do|looks?|sounds?"
    r"|helps?|works?|makes?|means?|being|said|way|much|many|far|i|you|we|he|she|it|they|there|the|a|an|my"
    r"|your|our)\b|isn't|doesn't|didn't|won't"
)
_SUPERLATIVE = (
    r"cheapest|fastest|nearest|closest|earliest|shortest|longest|biggest|smallest|newest|oldest|largest"
    r"|quickest|lowest|highest|most expensive|least expensive"
)
_ORDINAL = r"first|second|third|fourth|fifth|sixth|seventh|last"
_POINTING = any_of(
    rf"\bthis(?! is\b| {_PERIODS})(?= (?!one\b)\w+)",
    r"\bth(?:is|at) (?:one|two)\b",
    r"\bthose\b(?! who\b| that\b| days\b)",
    r"\bthese\b(?! days\b)",
    rf"\b(?:(?:{_PREPOSITION})|{_REQUEST}|is|are|was) (?:this|that){_ENDS}",
    rf"(?:\b(?:{_PREPOSITION})|{_REQUEST}) that (?!{_NO_NOUN})[a-z]\w+",
    r"\b(?!like |so |say |know |all )\w{2,12} that(?=\s{0,2}(?:$|[.?!,])|\s(?:for me|please|again|now"
    r"|instead|too|as well)\b)",
    rf"(?:^|[.!?;:]\s{{1,3}})(?:and |but |so |then |now )?that (?!{_NO_NOUN})[a-z]\w+",
    r"(?:^|[,.;!?:]\s{0,3})(?:and |so |but |then )?(?:(?:how|why|when|where|what) )?"
    r"(?:is|was|does|did|will|would|could|can|has|isn't|doesn't) that\b",
    rf"\bthe (?:{_ORDINAL}|next|other|same|previous|{_SUPERLATIVE}|\w{{2,12}}) ones?\b(?! of (?:the|my|a|our) )",
    rf"(?<!on )(?<!until )(?<!by )(?<!till )(?<!since )\bthe (?:{_ORDINAL})(?=\s*(?:$|[,.?!;)])|\s+(?:and|or"
    r"|please|for|instead|too|as well)\b)",
    rf"\bthe (?:{_ORDINAL}) (?:two|three|four|option|result|entry|item|suggestion|point|tip|answer"
    rf"|hit)s?{_ENDS}",
    rf"\bthe (?:{_SUPERLATIVE}){_ENDS}",
    r"\bthe (?:last|second last) but one\b",
    rf"\b(?:number|no\.) (?:one|two|three|\d){_ENDS}",
    r"\boption (?:[a-d]|\d|one|two|three)\b",
    r"\bthe ones? (?:with|without|that|which|who|in|at|on|from|you|i|we|near|for|under|after|before|by"
    r"|mentioned)\b",
    r"\bwhich (?:of (?:them|these|those|the two)|ones?)\b",
    r"\b(?:any|some|all|none|each|either|neither|both|one|two|half|most) of (?:them|these|those|the above)\b",
    r"\bthe (?:above|aforementioned|latter)\b",
    r"\bthe (?:earlier|cheaper|faster|other) (?!day\b|side\b|hand\b|way\b|half\b)\w+",
    r"\bthe previous (?:one|result|answer|question|request|task|message)\b",
    rf"\bthe (?:rest|others){_ENDS}",
    r"\bthe same (?:day|date|time|place|hotel|address|booking|person|people|city|account|order|file|room"
    r"|restaurant|one|period)\b",
    r"\bwhat you (?:just )?(?:said|told|gave|wrote|found|sent|listed)\b",
    r"\byou (?:just )?(?:gave|found|listed|sent|told|showed) me\b",
    r"\bone of the (?!most\b|best\b)\w+s\b",
    r"\b(?:all|the) (?:two|three|four)(?=\s*(?:$|[,.?!]))",
)
_THERE = re.compile(
    r"\b(?P<before>[\w'’]{1,30})\s{1,3}there\b(?!['’]|\s+(?:is|are|was|were|will|be|any|a|an|you)\b)", re.IGNORECASE
)
_THERE_IS = _listed(
    "is|are|was|were|isn't|aren't|will|be|what's|hi|hey|hello|you|can|could|would|should|might|may|s|if|that"
    "|where's|how's|has|have|been"
)
_CAPITAL = re.compile(r"(?<=[\w,] )[A-Z]\w")
_OUTSIDE = re.compile(
    r"\b(?:above|before|previous|what you|you (?:just )?(?:gave|found|listed|sent|told|showed))\b", re.IGNORECASE
)
"""What stands before the message, whatever it names."""
_HEADED = re.compile(r"(?:\w+ )?(?:this|that|those|these|the) \w+", re.IGNORECASE)
"""Words that point, with what they are said of."""
_OPENER = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|great|thanks(?: a lot| so much)?|thank you|nice|good|perfect|cool|hm+|sorry|wait"
    r"|oh|ah|hi|hello|hey|well|yes|yeah|no|please|alright|right|fine|super|awesome|lovely|not great|too bad"
    r"|actually|oops|one more thing)\b[\s,.!:;–—-]{1,5}){1,5}",
    re.IGNORECASE,
)
_LEAVING = any_of(
    r"^(?:and |now |then |please |just |do |have |exactly )*(?:the )?same(?: again| thing"
    r"| procedure)?(?: here)?(?: for\b| with\b| but\b|\s*[,.?!]|$)",
    r"\b(?:and|do|now|please) the same (?:for|with|again|thing)\b",
    r"\bdo (?:that|it|this) for\b",
    r"\band [\w ]{1,40}, in the same way\b",
    r"\bthe same again\b",
    r"\bsame (?:thing )?for\b",
    r"^(?:likewise|ditto)\b",
    r"\bI meant?\b(?! (?:to|that|well)\b)",
    r"\bmake (?:it|that) (?=(?:\d|one|two|three|four|five|six|seven|eight|nine|ten|noon|half|a \w+ for"
    r"|the \d))",
    r"^(?:got |have you |are there |do you have )?(?:any|some) (?:more|others?)\b",
    r"^(?:what|anything|something|who|where|nothing) else\b",
    r"^(?:and |but |now )*again,? (?:but|for|with|on|in)\b",
    r"^(?:and )?(?:one|another|two) (?:more )?for\b",
    r"^(?:and )?(?:another one|one more)\b",
    r"^(?:a (?:bit|little) |something |nothing |anything |even |much |way )?(?:\w{2,10}er|more \w+"
    r"|less \w+)\s*(?:, please|please)?[.?!]*$",
    r"^(?:like|such as|for example|for instance)(?: what| who| which| where)?\s*\?",
    r"^(?:and )?(?:then|next|after that)\s*\?",
    r"^(?:please )?(?:go on|continue|carry on|keep going|more|again|once more|louder"
    r"|next)(?:,? please)?[.?!]*$",
    r"^(?:in|with) (?:one|two|three|ten|twenty|a few|\d+|fewer|simpler|plain) (?:words?|sentences?|lines?)\b",
    r"\b(?:all|everything|anything) else (?:stays |remains |is |as |unchanged|the same)",
    r"\bthe rest (?:stays|remains|is|as) (?:the same|before|it)",
    r"^(?:then |now |just )?(?:go ahead|cancel|confirm|submit|proceed|undo|retry|try again)(?:,? (?:please"
    r"|now|then))?[.!?]*$",
    r"^only (?:with|without|in|on|at|from|for|since|until|if|the ones|those|under|over|between)\b",
    r"^[^.?!;:]{1,60} instead[.?!]*$",
)
_SHOWN = re.compile(r"\b(?:this|these)\b", re.IGNORECASE)
"""Words that also show something that the message itself tells."""
_SENTENCE_END = re.compile(r"[:;.?!](?=\s|Q)|(?=QQ)")
_GOES_ON = re.compile(r"(?:and|n|or|but)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[.?!;]\s")
_ABOUT = re.compile(r"^(?:and |but |so |then |or )*(?:what|how) about (?P<rest>[^.?!,;:]{1,40})\?*$", re.IGNORECASE)
FAR = any_of(
    r"\b(?:back to|one step back|at the (?:very )?(?:beginning|start)|at first"
    r"|(?:asked (?:you )?(?:about )?|did |said |we had )first|(?:very )?first (?:question|thing|search|list"
    r"|result|message|request)|we started with|about earlier|earlier question|a while ago|(?:from|like|had"
    r"|said|asked|mentioned|saw|found) (?:before|earlier)|the (?:original|initial) (?:one|request|question))\b",
)


def cues(message: str) -> Iterator[Cue]:
    """The cues of a message, in any order."""
    text = message.replace("’", "'")
    quoted = _blank(_QUOTED, text, "Q")
    text = text if quoted.startswith("QQ") and quoted.endswith("QQ") else quoted
    text = _blank(_REACTION, text)
    pointing = list(_pointing(text))
    opener = _OPENER.match(text)
    start = opener.end() if opener else len(text) - len(text.lstrip())
    rest = text[start:].rstrip()
    if found := _LEAVING.search(rest):
        yield Cue(Lean.LEAVES_OUT, found[0].strip(" ,.?!"), start + found.start())
        covered = range(start + found.start(), start + found.end())
        pointing = [cue for cue in pointing if cue.start not in covered]
    elif found := _ABOUT.match(rest):
        yield Cue(Lean.FRAGMENT, found["rest"].strip(), start + found.start("rest"))
    elif _is_fragment(rest) or (_GOES_ON.match(rest) and _is_fragment(_SENTENCE.split(rest, maxsplit=1)[0])):
        yield Cue(Lean.FRAGMENT, rest, start)
    yield from pointing


def _blank(pattern: re.Pattern[str], text: str, letter: str = " ") -> str:
    """A text of the same length in which what the pattern finds means nothing, or, with a letter, is just a name."""
    return pattern.sub(lambda found: letter * len(found[0]), text)


def _pointing(text: str) -> Iterator[Cue]:
    meant = _blank(_EXPLETIVE, text)
    for found in _POINTING.finditer(meant):
        is_shown = _SHOWN.search(found[0]) is not None
        behind = _SENTENCE_END.split(text[found.start() :], maxsplit=1)[1:]
        if not (is_shown and _names("".join(behind))):
            yield from _cue(text, found[0], found.start(), _names if is_shown else None)
    for found in _PRONOUN.finditer(meant):
        is_object = found[0].casefold() in _OBJECTS
        yield from _cue(text, found[0], found.start(), None if is_object else _names)
    for found in _THERE.finditer(meant):
        if found["before"].casefold() not in _THERE_IS:
            yield from _cue(text, "there", found.end() - len("there"), _CAPITAL.search)


def _cue(text: str, quote: str, start: int, binds: Callable[[str], object] | None = None) -> Iterator[Cue]:
    """binds: whether what stands before it in its own clause may be what it stands for."""
    bare = quote.strip(" ,.;!?:\n")
    start += quote.find(bare)
    begin = _clause(text, start)
    bound = _names(text[:begin]) and not _OUTSIDE.search(bare)
    if bound and not bare.casefold().startswith(("the ", "there", "one of ")):
        return
    sure = not (bound or (binds and binds(text[begin:start])))
    head = _BOUNDARY.split(text[start:], maxsplit=1)[0] if _HEADED.match(bare) else ""
    yield Cue(Lean.POINTS, bare, start, head, sure)


def _clause(text: str, place: int) -> int:
    """Where the clause begins in which a place lies."""
    return max((found.end() for found in _BOUNDARY.finditer(text, 0, place) if found.end() <= place), default=0)


def _names(text: str) -> bool:
    """Is there a word that a pronoun behind could stand for?"""
    words = (word.strip("'-").casefold() for word in _WORD.findall(text))
    return any(len(word) > 1 and word not in LIGHT and not word.isdigit() for word in words)


def _is_fragment(text: str) -> bool:
    """No verb, and it begins as what goes on, or is a word or two with a question mark."""
    words = [word.strip("'-").casefold() for word in _WORD.findall(text)]
    if not words or len(words) > _MOST_WORDS or any(_is_verb(word) for word in words):
        return False
    return words[0] in _STARTS or words[0].isdigit() or len(words) == 1 or (text.endswith("?") and len(words) < 5)


def _is_verb(word: str) -> bool:
    return any(word.removesuffix(ending) in _VERB for ending in ("", "s", "es", "d", "ed", "ing", "n't"))

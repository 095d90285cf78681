"""What a parameter is for, as its name, its description and its tool say it: which values may come from where."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property

from msgspec import Struct

MOST_WORDS = 500
"""Characters of a description that are read."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[_.\-/]+")


class ParameterKind(StrEnum):
    """A parameter may be of several kinds, or of none.

    Values of PERSON, ID, CONTACT, CREDENTIAL and FILE are never worded freely. BODY, TITLE and PATTERN are composed by
    whoever calls; an INPUT is a text that was given.
    """

    COUNT = "count"
    PERSON = "person"
    ID = "id"
    CONTACT = "contact"
    CREDENTIAL = "credential"
    FILE = "file"
    PLACE = "place"
    CODE = "code"
    BODY = "body"
    TITLE = "title"
    LABEL = "label"
    PATTERN = "pattern"
    INPUT = "input"
    PAGE = "page"
    STAMP = "stamp"


K = ParameterKind
STRICT = frozenset({K.PERSON, K.ID, K.CONTACT, K.CREDENTIAL, K.FILE})
_PEOPLE = (
    r"(?:customer|guest|person|patient|passenger|travell?er|contact|recipient|sender|attendee|participant|owner|assignee"
    r"|holder|host|member|employee|doctor|client|driver|student|teacher|author|artist|actor|director|player|reviewer)s?"
)
_NAMED = {
    K.COUNT: r"quantity|qty|count|amount|number of|num|guests|people|persons|adults|child(?:ren)?|kids"
    r"|passengers|pax"
    r"|travell?ers|seats|nights|tickets|rooms|limit|max|min|top|party|copies|units|pieces|packs|servings|prices?"
    r"|budget|cost|fee|total|age|rating|score|priority|stars|radius|distance|duration|length|size|weight|height|percent"
    r"|rate|threshold|capacity|days|weeks|months|hours|minutes|seconds|times|retries|bottles",
    K.PERSON: rf"{_PEOPLE}|(?:{_PEOPLE}|full|first|last|family|given|user) names?|surname",
    K.ID: r"ids?|uuid|isbn|iban|sku|vin|ean|doi|barcode|username|login|handle"
    r"|(?:order|booking|ticket|invoice|account|serial|tracking|reservation|confirmation|case|flight|train|card|passport)"
    r" (?:no|nr|number|code|ref)",
    K.CONTACT: r"e ?mails?|mail address|phones?|mobile|tel|telephone|fax|(?:e ?mail|phone|mobile|telephone) \w+",
    K.CREDENTIAL: r"password|passcode|pin|secret|token|api key|otp",
    K.FILE: r"path|files?|file ?names?|file path|dir|directory|folder|urls?|uri|link|repo|repository|host|domain"
    r"|attachments?",
    K.PLACE: r"city|cities|place|location|address|country|origin|destination|region|state|venue|town|airport"
    r"|station|area",
    K.CODE: r"code|currency|currencies|country|lang|languages?|locale|iso|iata|symbol|ticker|unit|units|airport|origin"
    r"|destination|from|to|base|quote|target|source|state|tz|time ?zone|region",
    K.BODY: r"body|text|content|message|msg|notes?|summary|description|comments?|prompt|code|script|poem|lyrics"
    r"|story|reply"
    r"|response|answer|draft|essay|bio|announcement|review|feedback|reason|thoughts?|reflection|explanation|instructions?"
    r"|details|remarks?|memo|post|tweet|letter|greeting|slogan|html|markdown|speech|question|agenda|report|observations?",
    K.TITLE: r"title|subject|headline|label|topic|heading|caption|summary",
    K.LABEL: r"category|tags?|genre|mood|sentiment|style|tone|severity|priority|theme|role"
    r"|purpose|metric",
    K.PATTERN: r"pattern|glob|regexp?|sql|jql|cql|cron|expression|formula|selector|xpath|jq|filter|command|cmd"
    r"|code|script",
    K.PAGE: r"page|offset|skip|start|start index|index|cursor|from|version|step",
    K.STAMP: r"timestamp|epoch|unix time|time|date|start|end|since|until",
}
"""Names, or their last words, as English words."""
_DESCRIBED = {
    K.COUNT: r"how many|number of|数量|人数|几[个件盒张晚人位瓶条根]|票数|份数|金额|价格|预算|年龄|多少|最多|最少|条数",
    K.PERSON: r"full name|name of the (?:customer|guest|person|patient|user|recipient)|^name: *who|姓名|预订人"
    r"|联系人|作者|乘客",
    K.ID: r"\bid of|\biban\b|编号|单号|身份证|车次|航班号|账号|卡号|标识符",
    K.CONTACT: r"(?:mail|telephone|phone|mobile) (?:address|number)|recipient's number|邮箱|手机号|电话号",
    K.CREDENTIAL: r"\bpassword\b|密码|验证码",
    K.FILE: r"path of the|\burl of|路径|网址|链接",
    K.PLACE: r"\bcity\b|城市|地点|地址|国家|出发|目的地|机场",
    K.CODE: r"\biso\b|iata|ticker|\bcodes?\b|\bcurrency\b|代码|三字码|货币|缩写",
    K.BODY: r"\btext of the|正文|摘要|总结|备注|评论|评价|笔记|内容|提示词|画面描述",
    K.TITLE: r"short title|标题|主题",
    K.LABEL: r"in a word|费用类别|标签",
    K.PATTERN: r"\bglob\b|regular expression|\bsql\b|\bjql\b|\bcron\b|mathematical expression|query language"
    r"|正则|表达式|通配",
    K.INPUT: r"to be \w+ed\b|to (?:translate|analy[sz]e|summari[sz]e|check|classify|convert|encode|correct)"
    r"|翻译|原文|待[分检校]|要分析",
    K.STAMP: r"unix|epoch|时间戳",
}
_CREATES = re.compile(r"\b(?:create|add|make|new|save|rename|start|post|write)\b|新建|创建|添加|新增|保存")
_PROGRAM = re.compile(r"python|program|source|script|snippet|\bcode\.|javascript|\brun\b|execut|编程|运行|执行")
_SHAPED = re.compile(r"\bpattern\b|\bglob\b|\bregexp?\b|regular expression|selector|xpath|通配|正则")
_ADDRESS = re.compile(r"\baddress\b|地址|住址")
_TRANSLATES = re.compile(r"\btranslat|翻译")
_NUMBERED = re.compile(r"(?<!number )\b(?:number|no|nr|id|ids|index|code|type|name)$")


def _patterns(table: Mapping[ParameterKind, str], shape: str) -> dict[ParameterKind, re.Pattern[str]]:
    return {kind: re.compile(shape.format(words)) for kind, words in table.items()}


_BY_NAME = _patterns(_NAMED, r"(?:^|\s)(?:{})s?$")
_BY_WORDS = _patterns(_DESCRIBED, r"{}")
_FIRST_COUNT = re.compile(
    r"^(?:max|min|num|number of|total|top)\b|(?:^|\s)(?:cm|kg|km|m|minutes|seconds|hours|days|usd|eur)$"
)


class Parameter(Struct, frozen=True, dict=True):
    """What a value is given for. name, schema: of the nearest property; tool: its name and description."""

    name: str = ""
    schema: Mapping[str, object] = {}
    tool: str = ""

    @cached_property
    def title(self) -> str:
        """The name as words, in lower case."""
        return " ".join(_CAMEL.sub(" ", self.name).casefold().split())

    @cached_property
    def description(self) -> str:
        found = self.schema.get("description")
        return found[:MOST_WORDS] if isinstance(found, str) else ""

    @cached_property
    def about(self) -> str:
        """All that is said of it, in lower case."""
        return f"{self.title} {self.description}".casefold()

    @cached_property
    def kinds(self) -> frozenset[ParameterKind]:
        found = {kind for kind, named in _BY_NAME.items() if named.search(self.title)}
        found |= {kind for kind, described in _BY_WORDS.items() if described.search(self.description.casefold())}
        found |= {K.COUNT} if _FIRST_COUNT.search(self.title) else set()
        if (
            K.CODE in found
            and self.title.endswith("code")
            and not _PROGRAM.search(f"{self.about} {self.tool}".casefold())
        ):
            found -= {K.BODY, K.PATTERN}
        if _NUMBERED.search(self.title) and not re.search(r"how many|数量", self.about):
            found.discard(K.COUNT)
        if self.schema.get("format") in ("email", "uri", "uuid", "hostname"):
            found.add(K.CONTACT if self.schema["format"] == "email" else K.FILE)
        if self.title == "query" and re.search(
            r"\b(?:sql|jql|cypher|graphql|lucene)\b", f"{self.about} {self.tool}".casefold()
        ):
            found.add(K.PATTERN)
        if self.title in ("name", "names") and not found & STRICT:
            found.add(K.TITLE if _CREATES.search(_CAMEL.sub(" ", self.tool).casefold()) else K.PERSON)
        if _TRANSLATES.search(self.tool.casefold()) and K.BODY in found:
            found.add(K.INPUT)
        if K.BODY in found and self.title != "name":
            found -= STRICT - {K.ID, K.CREDENTIAL}
        return frozenset(found)

    @property
    def is_strict(self) -> bool:
        """Must its values stand somewhere, rather than be worded freely?"""
        return bool(self.kinds & STRICT)

    @cached_property
    def is_shape(self) -> bool:
        """Is its value a pattern that names files or texts, rather than a query or a program?"""
        return _SHAPED.search(self.about) is not None

    @cached_property
    def is_address(self) -> bool:
        return _ADDRESS.search(self.about) is not None

    @property
    def is_composed(self) -> bool:
        """Does whoever calls write the value?"""
        limit = self.schema.get("maxLength")
        bounded = "enum" in self.schema or "pattern" in self.schema or (isinstance(limit, int) and limit < 20)
        composed = self.kinds & {K.BODY, K.TITLE, K.PATTERN}
        return bool(composed) and not bounded and not self.is_strict and K.INPUT not in self.kinds

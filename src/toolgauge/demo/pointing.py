"""Speaking of a value without naming it, and of a bare number with what it counts."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SAME = 4
"""Letters that a noun shares with the name of the parameter it stands before: "flight" and flight_no."""
_NOUNS = (
    "预约单|仓库|温控器|日程|酒店订单|订单|行程|路线|邮件|频道|消息|任务|会议|结果|账户|收款人|银行卡|账单|卡组|购物车|时段|退货|练习|"
    "借书证|歌曲|歌单|影片|单集|报价|(?<=查询)申请|提交申报|(?<=取消)预约|播客|订座编码|编码|编号|证号"
)
"""Chinese nouns that stand before a number in the requests of the tool library."""
_THINGS = {
    "city": "城市", "area": "地方", "place": "地方", "district": "区", "building": "楼", "project": "项目",
    "repo": "仓库", "company": "公司", "team": "球队", "dish": "菜", "word": "词", "drug": "药", "exercise": "动作",
    "goal": "地方", "item": "东西", "food": "东西", "table": "表",
}  # fmt: skip
"""What some parameters' values are, in English by the parameter's own name."""
_LABELS = "地址|账号|姓名|预订人|乘机人|邮箱|借书证号"
"""Chinese words that announce what stands behind them."""
_AFTER_PREPOSITION = re.compile(r"\b(?:for|of|on|from|until|by|to|is|about) $")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_UNITS = {
    "en": r" (days|hours|minutes|min|nights|people|km|words|weeks|years|cards|seats|tickets|degrees|stars|bags|shares"
    r"|servings|grams|players|files|points)\b",
    "zh": r"(个?小时|分钟|个?人份?|公里|公斤|件|天|晚|度|元|股|年|张|周|颗?星|次|克|字|单元|轮|行|位)",
}
_ONE = {"people": "person"}


def pointed_at(phrase: str, parameter: str, words: str, language: str) -> str:
    """A phrase whose slot for one parameter holds words that only point: "the one I mentioned", "on that day".

    A noun before the slot goes into them ("the flight I mentioned"), quotation marks around it go away.
    """
    return (_in_chinese if language == "zh" else _in_english)(phrase, parameter, words)


def _in_chinese(phrase: str, parameter: str, words: str) -> str:
    def replaced(found: re.Match[str]) -> str:
        if found["label"]:
            return f"{found['label']}就用{words}"
        noun = found["noun"] or _THINGS.get(parameter, "")
        noun = "" if phrase.startswith(noun, found.end()) or words.endswith(noun[:1]) else noun
        return (found["me"] or "") + words.removeprefix(found["me"] or "") + (found["noun"] or noun)

    slot = rf"“?\{{{re.escape(parameter)}\}}”?号?"
    return re.sub(rf"(?:(?P<label>{_LABELS})|(?P<noun>{_NOUNS})|(?P<me>我))?{slot}", replaced, phrase)


def _in_english(phrase: str, parameter: str, words: str) -> str:
    def replaced(found: re.Match[str]) -> str:
        owner, noun, number = found["owner"] or "", found["noun"] or "", found["number"] or ""
        kept = ""
        named = noun if noun and noun[:_SAME].casefold() == parameter[:_SAME] else ""
        if (named or (not noun and parameter in _THINGS)) and words.startswith("the one"):
            text = words.replace("the one", f"the {(named or parameter).lower()}", 1)
        else:
            kept = f"{owner}{noun} " if noun else ""
            bare = words.removeprefix("on ") if _AFTER_PREPOSITION.search(kept.casefold()) else words
            text = kept + bare
        begins = not found.start() and not text.startswith(kept or "\n")
        return text[:1].upper() + text[1:] if begins or (number and found[0][0].isupper()) else text

    pattern = (
        r"(?:(?P<owner>(?:\b(?:the|my|our|your) )?)\b(?P<noun>[A-Za-z]+) )??"
        rf"(?P<number>(?:number|no\.) )?“?\{{{re.escape(parameter)}\}}”?"
    )
    return re.sub(pattern, replaced, phrase)


def counted(phrases: Iterable[str], parameter: str, words: str, language: str) -> str:
    """A number with what it counts, as one of the phrases has it beside the slot: "4" is "4 people", "第4行"."""
    if not _NUMBER.fullmatch(words):
        return words
    slot = rf"(第?)\{{{re.escape(parameter)}\}}"
    for phrase in phrases:
        if found := re.search(slot + _UNITS[language], phrase):
            unit = found[2]
            if language == "zh":
                return f"{found[1]}{words}{unit}"
            return f"{words} {_ONE.get(unit, unit.removesuffix('s')) if words == '1' else unit}"
    return words

"""Cues in Chinese messages (cues.py)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolgauge.annotation.leaning.cue import Cue, Lean, any_of
from toolgauge.languages import HAN

_COUNTER = (
    "[个家款本条位只张趟部首份件种些段句篇批班间台辆里儿道项封笔场座样类栋单组门双幅盒瓶杯顿集期节页行版名套片带]"
)
_COUNTED = f"(?:[一两二三四五六七八九十几\\d]{{1,2}}{_COUNTER}|{_COUNTER})"
_PERIOD = "(?:周|星期|礼拜|月|季|年|学期|暑|寒|春|夏|秋|冬|早|晚|小时|国庆|五一|假期|时候|世纪)"
LIGHT = re.compile(
    r"帮我|帮忙|麻烦|请问|请|一下|看看|看下|查查|查下|查一下|查询|说说|说回|回到|就|给我|我说的|我说|我想"
    r"|我要|我刚|我提|我|你|您|那么|那|再|也|好的|好吧|好|可以|行|谢谢|谢啦|嗯|哦|啊|呀|哈|诶|哎|吧|呢|吗"
    r"|嘛|了|的|想要|想|要|顺便|对了|另外|还有|然后|话说|不错|太棒|太|又|都|还是|是|这样|问下|问一下|问"
    r"|知道|告诉|接着|先|之前|前面|刚才|刚刚|一开始|最开始|最早|提过|说过|说到|那件事|那事|这件事|一件事|订"
    r"|买|退|选|取消|把|给|让|跟|和|对|用|去|到|在|从|发|换|照|按|换个话题|说到这个|正好聊到这儿|谢|辛苦"
    r"|打扰|你好|嗨|事儿|问你个"
)
"""What names nothing that a pronoun could stand for."""
_QUOTED = re.compile('“[^”\n]{1,300}”|「[^」\n]{1,300}」|《[^》\n]{1,100}》|"[^"\n]{1,300}"')
_CLAUSE = re.compile(r"[，。！？；：,!?;:\s…—（）()]")
_IDIOM = any_of(
    r"换一?个(?:话题|说法|角度)|那天气|前[一二两三四五六七八九十\d]{1,2}名",
    r"其他|其它|他人|他乡|他国|吉他|维他|利他|排他|他妈|除此之外|此外|因此|如此|从此|彼此",
    r"此时|此刻|到此为止",
    r"这边(?!的)",
    r"我这[里儿]",
    r"这不|这样|这么|那么|那样|一样",
    rf"这[个一两几些]{{0,2}}{_PERIOD}",
    r"这(?:两|几|些|[三四五六七八九十]){1,2}天",
    r"这天气",
    r"这一?次",
    r"这会儿",
    r"这是我?第一次",
    r"(?<![^，。！？\s])那[个，, ]{1,3}(?=我|请|帮|能|想|问|麻烦)",
    r"^\W{0,3}(?:这个|那个)[，,]",
    r"这个[，,]",
    r"在那之前|换个话题|说到这个|说到这儿|聊到这儿|这倒让我想起",
    r"第一次(?!那样|的那|说|问)",
    r"第一时间|第一名|一般来说|哪里哪里",
    r"上个?(?:周|月|季度|学期|星期|礼拜)",
    r"前[两几三]个?(?:天|年|月|周|星期|小时)",
    r"后[两几三]个?(?:天|年|月|周|星期|小时)",
    r"最后一?(?:天|次|周|班|期)",
)
_SOMEBODY = re.compile(r"[它他她牠]们?(?=[^乡国]|$)")
_POINTING = any_of(
    rf"(?:倒数)第[一二三四五六七八九十\d]{{1,2}}{_COUNTER}",
    rf"[这那]{_COUNTED}",
    r"[这那]几天",
    r"那天",
    r"那时候?",
    r"(?<=[到去在从离往])那边",
    r"那[里儿](?!来)",
    r"这[里儿]",
    rf"同一{_COUNTER}",
    rf"另(?:外)?(?:那|一){_COUNTER}",
    r"剩下的|其余的|其中|上述",
    rf"以上(?:{_COUNTED}|内容|信息)",
    r"前者|后者",
    r"该(?:公司|医院|酒店|城市|商品|产品|订单|账户|文件|项目|航班|用户|视频|歌曲|课程|论文|餐厅|景点|股票"
    r"|仓库|房源|线路|班次|套餐|会议|任务|店|书|车)",
    r"此(?:订单|商品|酒店|文件|邮件|航班|房源|账户)",
    r"刚才(?:那|说|提|查|的)",
    r"刚刚(?:那|说|提|查)",
    r"(?<![查以])前面(?:说|提|那|查|的)",
    r"之前(?:说|提|那|查|找|问)",
    r"上面(?:说|提|那|的)",
    r"你(?:刚|前面|之前|刚才|一开始|最开始)?(?:说|列|给|推荐|找到?|写|查到?)的",
)
_AT_START = re.compile(
    r"^(?:那|就|再|把|给|帮我|麻烦|请|订|买|要|选|看看|看下|查下|查一下|用|还是|我要|我想|嗯|好|行|可以"
    rf"|的话|你说的|发给){{0,3}}(?:(?P<ordinal>第[一二三四五六七八九十\d]{{1,2}}{_COUNTER}(?!月|星期|小时"
    rf"|医院)|最后[一两三几]{_COUNTER}(?!月|星期|小时)|[前后][一两三四五几]{_COUNTER}(?!月|星期|小时|礼拜)"
    rf"|[两三四]{_COUNTER}都(?=[要行可]))|(?P<which>(?:里面|其中|这里面)?哪(?:{_COUNTER}|几{_COUNTER})(?=还"
    r"|有|更|最|能|可以|比较|不(?!快|错)|超过|大于|小于|低于|高于|没|已经|是|对|会|便宜|好|离|带|适合"
    rf"|合适))|(?P<most>最[^，。？！\s]{{1,4}}的?(?:那|这)?{_COUNTER}?(?=$|[，。？！]|怎么|多少|在哪|是|订"
    r"|还有|能|几点))|(?P<place>当地|那边|(?:在|去|到|离|从)那边)|(?P<this>这(?=算|正常|严重|要紧|靠谱"
    r"|有必要|是什么意思|怎么办)))"
)
_LEAVING = any_of(
    r"(?P<too>^(?:那|再|顺便|麻烦|帮我|请|还有|对了|另外|把|哦|啊){0,3}(?:给|帮|替|为"
    r"|跟)?[^，。？！\s也]{1,8}也(?:帮|给|要|都|得"
    r"|跟)?(?:我)?(?!来(?!一))[办来查订转弄搞设发买看加说写改退寄叫通提续]?(?:知|醒|诉|他"
    r"|她)?一?[下个份张笔次条本台间双件杯位趟样看查遍声]?(?:看|查)?(?:吧|呗|哈|呀)?$)",
    r"(?P<more>^(?:那|再|还|请|帮我|麻烦|能|给我){0,3}(?:再|还)?(?:来|要|发|订|写|推荐|换|设|建|加|买|找"
    r"|查|画|做|放|点)[一两几](?:个|份|笔|次|首|版|张|条|篇|段|杯|位|家|些)(?:别的|其他的?|新的|吧|呗|吗)?$)",
    r"(?P<else>^(?:还)?有?(?:没)?有?(?:别的|其他的?|更[^，。？！\s的]{1,4}的)(?:吗|没|么|呢"
    r"|推荐)?[吗么]?$|^还有[吗么没]$|^[^，。？！\s]{1,6}的(?:有吗|有没有|有么|还有吗)$)",
    r"(?P<wrong>^(?:啊|哦|不好意思|抱歉|等等|不对|哎呀)?[，, ]{0,2}(?:我)?(?:说错了|打错了|搞错了|记错了"
    r"|我是说|我的意思是))",
    r"(?P<change>^(?:那|再|就|还是|帮我|麻烦|请|给我|全部|都){0,3}(?:换成|改成|换个|换一|改为|改到|改用"
    r"|调到))",
    r"(?P<same>^(?:那|再|就|还有|给|帮){0,2}[^，。？！\s]{0,8}(?:也一样|照样|照旧|同样(?:的)?(?:再|来"
    r"|办)|一样来|照刚才的|照上面))",
    r"(?P<degree>^(?:请|麻烦|能不能|可以|能|帮我|给我){0,2}(?:再)?(?:太)?(?:说|讲|写)?(?:得)?(?:太)?(?:短"
    r"|长|简单|简短|简洁|详细|具体|正式|便宜|贵|大声|小声|大|小|快|慢|亮|暗|远|近|热|冷|高|低|早|晚|口语化"
    r"|辣|甜|咸|淡|酸|清淡|软|硬|厚|薄)(?:一?[点些]儿?|了)的?(?:吗|吧|呢|说|讲)?$)",
    r"(?P<on>^(?:请|那|嗯|好|你)?(?:继续|接着(?:说|讲|来)|然后呢|后来呢|后来|比如说?|例如|举个例子"
    r"|(?:用)?一句话(?:说|概括|总结)?|详细(?:说说|讲讲|点)|具体(?:说说|讲讲|点)|展开(?:说说|讲讲)|简单(?:说"
    r"|来说)|说具体)(?:吧|呢)?$)",
    r"(?P<do>^(?:那|就|行|好|嗯|帮我|给我|直接|先){0,3}(?:取消|下单|退掉|退了|关掉|关了|删掉|删了|发送"
    r"|发出去|发吧|提交|确认|预订|订了|订吧|买了|买吧|办了|办吧|报名|付款|支付|开始|保存|打印)(?:吧|呗|了"
    r"|一下|下)?$)",
    r"(?P<only>^(?:那)?只(?:要|看|选|查)[^，。？！\s是]{1,8}$|^(?:那)?(?:我)?要[^，。？！\s]{1,10}的$)",
)
_UNCHANGED = re.compile(r"(?:其他|别的|其余|剩下|地址|电话|时间|人数|日期|座位).{0,4}(?:不变|照旧|同上|一样)$")
_AND = re.compile(r"^(?:那么?|换成|如果是|要是|还有|再|然后)?(?P<rest>[^，。？！\s]{1,10}?)(?:的话)?呢$")
_ASKS = re.compile(r"什么|怎|哪|谁|为何|为啥|几|多少|是不是|有没有|能不能|还是|何必|正在|我的|着$|在[^，]{1,3}$")
_VERB = re.compile(
    r"[列还借听讲教学吃喝住坐走跑搜选挑点叫送寄退停充交付存约定推记画拍读念打拿修洗用看等睡玩唱跳穿戴卖租办换查订找看买发转有是能会要想怎吗哪谁帮请设开关算去到给把让做写说播放取改加删比]|推荐|翻译|提醒|通知|预约|什么|多少|几|谢|好"
)
_PLACES = ("那里", "那边", "那儿", "这里", "这儿")
_SHORT = 8
FAR = any_of(
    r"一开始|最开始|刚开始|最初",
    r"开头(?:说|问|那)",
    r"最早(?:那|说|问|提)",
    r"回到|说回",
    r"第一(?:次那样|个问题)",
    r"(?<!在那)之前(?:那|说|问|提|查|找|我)",
    r"前面(?:说|问|提|查|你|我|那)",
    r"早先|先前",
)


def cues(message: str) -> Iterator[Cue]:
    """The cues of a message, in any order."""
    text = _QUOTED.sub(lambda found: "某" * len(found[0]), message)
    text = _IDIOM.sub(lambda found: " " if len(found[0]) == 1 else "的" * len(found[0]), text)
    clauses, named = list(_clauses(text)), False
    for start, clause in clauses:
        shows = "某某" in clause or any(_names(other) for place, other in clauses if place > start)
        yield from _pointing(clause, start, named, shows)
        if not named or _UNCHANGED.search(clause):
            yield from _leaving(clause, start, len(clauses) == 1)
        named = named or _names(clause)


def _pointing(clause: str, start: int, named: bool, shows: bool) -> Iterator[Cue]:
    """named: something that may be meant stands before the clause; shows: something that "this" may show, behind it."""
    for found in _SOMEBODY.finditer(clause):
        if not named and not _names(clause[: found.start()]):
            yield Cue(Lean.POINTS, found[0], start + found.start())
    for found in _POINTING.finditer(clause):
        before, is_shown = clause[: found.start()], found[0].startswith("这")
        if is_shown and (shows or before.endswith(("我", "咱", "们", "我的"))):
            continue
        described = found[0].startswith(("那", *_PLACES)) and _names(before)
        sure = not (named or described or found[0].startswith("同一"))
        if sure or not is_shown:
            head = before + clause[found.end() : found.end() + 2] if found[0].startswith("那") else ""
            yield Cue(Lean.POINTS, found[0], start + found.start(), head, sure)
    if first := _AT_START.match(clause):
        place = next(name for name, said in first.groupdict().items() if said)
        if not (place == "which" and "还是" in clause):
            yield Cue(Lean.POINTS, first[place], start + first.start(place), sure=not named)


def _leaving(clause: str, start: int, whole: bool) -> Iterator[Cue]:
    """whole: the clause is the whole message."""
    bare = clause.rstrip("？?。!！")
    if found := _UNCHANGED.search(bare) or _LEAVING.search(bare):
        yield Cue(Lean.LEAVES_OUT, found[0], start)
    elif _names(bare):
        goes_on = _AND.match(bare)
        without_verb = whole and len(HAN.findall(bare)) <= _SHORT and not _VERB.search(bare)
        if without_verb or (goes_on and not _ASKS.search(goes_on["rest"])):
            yield Cue(Lean.FRAGMENT, clause, start)


def _clauses(text: str) -> Iterator[tuple[int, str]]:
    """(where it begins, text) of the parts between punctuation."""
    start = 0
    for found in _CLAUSE.finditer(text + " "):
        if found.start() > start:
            yield start, text[start : found.start()]
        start = found.end()


def _names(text: str) -> bool:
    """Is there something that a pronoun behind could stand for?"""
    return len(re.findall(r"[^\W_]", LIGHT.sub("", text))) > 1

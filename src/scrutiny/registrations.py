"""The built-in names: one line for each thing that scrutiny brings."""

from typing import Final

from scrutiny.core.registry import Registration

_D: Final = "scrutiny.diagnostics"
_U: Final = "scrutiny.perturb.universal"
_C: Final = "scrutiny.perturb.constraints"
_T: Final = "scrutiny.data.tasks"
_R: Final = "scrutiny.data.readers"
_M: Final = "scrutiny.models"
_S: Final = "scrutiny.reliability.statistics"
_A: Final = "scrutiny.reliability.association_statistics"
_SS: Final = "scrutiny.reliability.stereotype_statistics"

REGISTRATIONS: Final = (
    Registration("diagnostic", "association.clusters@1", f"{_D}.association:Clusters"),
    Registration("diagnostic", "association.seat@1", f"{_D}.association:Seat"),
    Registration("diagnostic", "performance@1", f"{_D}.performance:Performance"),
    Registration("diagnostic", "leakage@1", f"{_D}.leakage:Leakage"),
    Registration("diagnostic", "landscape@1", f"{_D}.landscape:Landscape"),
    Registration("diagnostic", "robustness@1", f"{_D}.robustness:Robustness"),
    Registration("diagnostic", "competence@1", f"{_D}.competence:Competence"),
    Registration("diagnostic", "stereotypes.crows-pairs@1", f"{_D}.stereotypes:CrowsPairs"),
    Registration("diagnostic", "stereotypes.pairs@1", f"{_D}.stereotypes:Pairs"),
    Registration("diagnostic", "stereotypes.stereoset@1", f"{_D}.stereotypes:StereoSet"),
    Registration("transformation", "antonym_swap@1", f"{_U}.antonym_swap:AntonymSwap"),
    Registration(
        "transformation", "append_irrelevant@1", f"{_U}.append_irrelevant:AppendIrrelevant"
    ),
    Registration("transformation", "back_translation@1", f"{_U}.back_translation:BackTranslation"),
    Registration("transformation", "contraction@1", f"{_U}.contraction:Contraction"),
    Registration("transformation", "entity_swap@1", f"{_U}.entity_swap:EntitySwap"),
    Registration("transformation", "insert_adverb@1", f"{_U}.insert_adverb:InsertAdverb"),
    Registration("transformation", "keyboard@1", f"{_U}.keyboard:Keyboard"),
    Registration("transformation", "masked_lm@1", f"{_U}.masked_lm:MaskedLm"),
    Registration("transformation", "name_place_swap@1", f"{_U}.name_place_swap:NamePlaceSwap"),
    Registration("transformation", "number_swap@1", f"{_U}.number_swap:NumberSwap"),
    Registration("transformation", "ocr@1", f"{_U}.ocr:Ocr"),
    Registration("transformation", "punctuation@1", f"{_U}.punctuation:Punctuation"),
    Registration("transformation", "reverse_negation@1", f"{_U}.reverse_negation:ReverseNegation"),
    Registration("transformation", "social_media@1", f"{_U}.social_media:SocialMedia"),
    Registration("transformation", "spelling_error@1", f"{_U}.spelling_error:SpellingError"),
    Registration("transformation", "synonym_vectors@1", f"{_U}.synonym_vectors:SynonymVectors"),
    Registration("transformation", "synonym_wordnet@1", f"{_U}.synonym_wordnet:SynonymWordnet"),
    Registration("transformation", "tense@1", f"{_U}.tense:Tense"),
    Registration("transformation", "typos@1", f"{_U}.typos:Typos"),
    Registration("transformation", "word_case@1", f"{_U}.word_case:WordCase"),
    Registration("constraint", "edit_distance@1", f"{_C}.edit_distance:EditDistance"),
    Registration(
        "constraint", "embedding_similarity@1", f"{_C}.embedding_similarity:EmbeddingSimilarity"
    ),
    Registration("constraint", "grammar@1", f"{_C}.grammar:Grammar"),
    Registration("constraint", "max_change@1", f"{_C}.max_change:MaxChange"),
    Registration("constraint", "perplexity_ratio@1", f"{_C}.perplexity_ratio:PerplexityRatio"),
    Registration("constraint", "stop_words@1", f"{_C}.stop_words:StopWords"),
    Registration("task", "association-test@1", f"{_T}.association_test:AssociationTest"),
    Registration("task", "minimal-pairs@1", f"{_T}.minimal_pairs:MinimalPairs"),
    Registration("task", "passages@1", f"{_T}.passages:Passages"),
    Registration("task", "sentence-pairs@1", f"{_T}.sentence_pairs:SentencePairs"),
    Registration("task", "sentence-triples@1", f"{_T}.sentence_triples:SentenceTriples"),
    Registration("task", "text-classification@1", f"{_T}.text_classification:TextClassification"),
    Registration(
        "task",
        "text-pair-classification@1",
        f"{_T}.text_pair_classification:TextPairClassification",
    ),
    Registration("task", "token-tagging@1", f"{_T}.token_tagging:TokenTagging"),
    Registration("reader", "builtin@1", f"{_R}.builtin:read"),
    Registration("reader", "conll@1", f"{_R}.conll:read"),
    Registration("reader", "crows-pairs@1", f"{_R}.crows_pairs:read"),
    Registration("reader", "csv@1", f"{_R}.delimited:read_csv"),
    Registration("reader", "hf@1", f"{_R}.hub:read"),
    Registration("reader", "json@1", f"{_R}.json_rows:read_json"),
    Registration("reader", "jsonl@1", f"{_R}.json_rows:read_jsonl"),
    Registration("reader", "parquet@1", f"{_R}.parquet:read"),
    Registration("reader", "sent-bias@1", f"{_R}.sent_bias:read"),
    Registration("reader", "stereoset@1", f"{_R}.stereoset:read"),
    Registration("reader", "text@1", f"{_R}.plain_text:read"),
    Registration("reader", "tsv@1", f"{_R}.delimited:read_tsv"),
    Registration("adapter", "builtin@1", f"{_M}.builtin_models:load"),
    Registration("adapter", "hf@1", f"{_M}.hf:load"),
    Registration("adapter", "named@1", f"{_M}.named:load"),
    Registration("adapter", "predictions@1", f"{_M}.predictions:load"),
    Registration("adapter", "python@1", f"{_M}.python_object:load"),
    Registration("adapter", "untrained@1", f"{_M}.untrained:load"),
    Registration("adapter", "zoo@1", f"{_M}.zoo:load"),
    Registration("statistic", "accuracy@1", f"{_S}:ACCURACY"),
    Registration("statistic", "accuracy_drop@1", f"{_S}:ACCURACY_DROP"),
    Registration("statistic", "excess_accuracy_drop@1", f"{_S}:EXCESS_ACCURACY_DROP"),
    Registration("statistic", "broken_rate@1", f"{_S}:BROKEN_RATE"),
    Registration("statistic", "coverage@1", f"{_S}:COVERAGE"),
    Registration("statistic", "mended_rate@1", f"{_S}:MENDED_RATE"),
    Registration("statistic", "entity_f1@1", f"{_S}:ENTITY_F1"),
    Registration("statistic", "entity_f1_drop@1", f"{_S}:ENTITY_F1_DROP"),
    Registration("statistic", "excess_entity_f1_drop@1", f"{_S}:EXCESS_ENTITY_F1_DROP"),
    Registration("statistic", "flip_rate@1", f"{_S}:FLIP_RATE"),
    Registration("statistic", "mean@1", f"{_S}:MEAN"),
    Registration("statistic", "share@1", f"{_S}:SHARE"),
    Registration("statistic", "decided_score@1", f"{_SS}:DECIDED_SCORE"),
    Registration("statistic", "icat@1", f"{_SS}:ICAT"),
    Registration("statistic", "lms@1", f"{_SS}:LMS"),
    Registration("statistic", "mean_margin@1", f"{_SS}:MEAN_MARGIN"),
    Registration("statistic", "neutral_share@1", f"{_SS}:NEUTRAL_SHARE"),
    Registration(
        "statistic", "original_minus_antistereotype@1", f"{_SS}:ORIGINAL_MINUS_ANTISTEREOTYPE"
    ),
    Registration("statistic", "original_minus_negated@1", f"{_SS}:ORIGINAL_MINUS_NEGATED"),
    Registration("statistic", "original_minus_swapped@1", f"{_SS}:ORIGINAL_MINUS_SWAPPED"),
    Registration("statistic", "other_length_score@1", f"{_SS}:OTHER_LENGTH_SCORE"),
    Registration("statistic", "same_length_score@1", f"{_SS}:SAME_LENGTH_SCORE"),
    Registration("statistic", "ss@1", f"{_SS}:SS"),
    Registration("statistic", "stereotype_score@1", f"{_SS}:STEREOTYPE_SCORE"),
    Registration("statistic", "adjusted_rand@1", f"{_A}:ADJUSTED_RAND"),
    Registration("statistic", "cluster_alignment@1", f"{_A}:ALIGNMENT"),
    Registration("statistic", "cluster_alignment_excess@1", f"{_A}:ALIGNMENT_EXCESS"),
    Registration("statistic", "effect_size@1", f"{_A}:EFFECT_SIZE"),
    Registration("statistic", "effect_size_population@1", f"{_A}:EFFECT_SIZE_POPULATION"),
    Registration("statistic", "inertia@1", f"{_A}:INERTIA"),
    Registration("statistic", "single_start_alignment@1", f"{_A}:SINGLE_START"),
)

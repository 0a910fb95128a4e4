"""Built-in registrations: one line for each registered object.

A line without indent says a kind and what its targets begin with; those below it say a name, the
rest of the target, and what the thing cannot do without (`scrutiny.core.registry.Registration`).
Parts are in the order of the page.
"""

from collections.abc import Iterator
from typing import Final

from scrutiny.core.registry import Registration

_TABLE: Final = """
diagnostic scrutiny.diagnostics.
    association.clusters@1        association.clusters:Clusters  representations
    association.seat@1            association.seat:Seat  representations
    attack@1                      attack.diagnostic:Attacks
    attack.transfer@1             attack.transfer:Transfer  reference
    attention.arcs@1              attention.arcs.diagnostic:HeadArcs  attentions
    attention.baselines@1         attention.heads.without_model:Baselines
    attention.classes@1           attention.classes:Classes  attentions
    attention.coreference@1       attention.coreference.diagnostic:Coreference  attentions
    attention.divergence@1        attention.patterns.divergence:Divergence  attentions
    attention.heads@1             attention.heads.diagnostic:Heads  attentions
    attention.patterns@1          attention.patterns.diagnostic:Patterns  attentions
    attention.probe@1             attention.probes.diagnostic:AttentionProbe  attentions
    attention.regression@1        attention.regression:Regression  attentions
    attention.stored@1            attention.heads.stored:Stored  head_counts
    faithfulness.adversarial@1    faithfulness.adversarial:Adversarial  attention_layer
    faithfulness.agreement@1      faithfulness.agreement:AttentionAgreement  attention_layer
    faithfulness.erasure@1        faithfulness.erasure:Erasure  attention_layer
    faithfulness.heads@1          faithfulness.heads:FaithfulHeads  head_interventions
    faithfulness.permutation@1    faithfulness.permutation:Permutation  attention_layer
    calibration@1                 calibration.diagnostic:Calibration
    performance@1                 performance.diagnostic:Performance
    repeats@1                     repeats.diagnostic:Repeats  varies
    leakage@1                     leakage.diagnostic:Leakage  training_hashes
    invariance.scope@1            invariance.diagnostic:SharedInvariance  reference
    labels@1                      labels.diagnostic:Labels
    landscape@1                   landscape.diagnostic:Landscape  landscape
    robustness@1                  robustness.diagnostic:Robustness
    similarity.drift@1            similarity.drift:Drift  reference
    similarity.drift-texts@1      similarity.drift_texts:DriftTexts  reference
    similarity.outputs@1          similarity.outputs:SimilarityOutputs  reference
    similarity.representations@1  similarity.representations:SimilarityRepresentations  reference
    similarity.stir@1             similarity.stir:SharedVectors  reference
    classes@1                     classes.diagnostic:Classes
    competence@1                  competence.diagnostic:Competence  tokenizes
    suites@1                      suites.diagnostic:Suites  suite
    stereotypes.crows-pairs@1     stereotypes.pairs:CrowsPairs  tokenizes
    stereotypes.pairs@1           stereotypes.pairs:Pairs  tokenizes
    stereotypes.stereoset@1       stereotypes.stereoset:StereoSet  tokenizes
expectation scrutiny.diagnostics.suites.
    gold@1         expectations:Gold
    is@1           expectations:Is
    is_not@1       expectations:IsNot
    moves@1        expectations:Moves
    same@1         expectations:Same
    stays_right@1  expectations:StaysRight
transformation scrutiny.perturb.characters.
    delete_letter@1        slips:DeleteLetter
    hidden_reorder@1       unseen:HiddenReorder
    homoglyph@1            unseen:Homoglyph
    homophone@1            chinese:Homophone
    insert_letter@1        slips:InsertLetter
    invisible_character@1  unseen:InvisibleCharacter
    keyboard@1             keyboard:Keyboard
    look_alike@1           chinese:LookAlike
    middle_swap@1          middle_swap:MiddleSwap
    neighbor_key@1         keyboard:NeighborKey
    ocr@1                  ocr:Ocr
    punctuation@1          surface:Punctuation
    spelling_error@1       misspellings:SpellingError
    split_word@1           split_word:SplitWord
    substitute_letter@1    slips:SubstituteLetter
    swap_letters@1         slips:SwapLetters
    typos@1                typos:Typos
    word_case@1            surface:WordCase
transformation scrutiny.perturb.words.
    antonym_swap@1      antonym_swap:AntonymSwap
    contraction@1       contraction:Contraction
    delete_word@1       delete_word:DeleteWord
    inflections@1       inflections:Inflections
    insert_adverb@1     insert_adverb:InsertAdverb
    masked_insert@1     masked_lengths:MaskedInsert
    masked_lm@1         masked:MaskedLm
    masked_merge@1      masked_lengths:MaskedMerge
    masked_replace@1    masked:MaskedReplace
    number_swap@1       number_swap:NumberSwap
    shown_replace@1     masked:ShownReplace
    synonym_vectors@1   vectors:SynonymVectors
    synonym_wordnet@1   wordnet:SynonymWordnet
    tense@1             tense:Tense
    vector_neighbors@1  vectors:VectorNeighbors
    wordnet_all@1       wordnet:WordnetAll
transformation scrutiny.perturb.phrases.
    entity_swap@1       entity_swap:EntitySwap
    mention_swap@1      entity_swap:MentionSwap
    name_place_swap@1   name_place_swap:NamePlaceSwap
    reverse_negation@1  reverse_negation:ReverseNegation
    social_media@1      social_media:SocialMedia
transformation scrutiny.perturb.sentences.
    append_irrelevant@1  append_irrelevant:AppendIrrelevant
    back_translation@1   back_translation:BackTranslation
    tautology@1          tautology:Tautology
constraint scrutiny.perturb.constraints.
    edit_distance@1         how_much:EditDistance
    embedding_similarity@1  meaning:EmbeddingSimilarity
    entailment@1            meaning:Entailment
    grammar@1               fluency:Grammar
    likeliest@1             fluency:Likeliest
    logprob_drop@1          fluency:LogprobDrop
    max_change@1            how_much:MaxChange
    perplexity_ratio@1      fluency:PerplexityRatio
    protected_phrases@1     which_words:ProtectedPhrases
    sentence_similarity@1   meaning:SentenceSimilarity
    stop_words@1            which_words:StopWords
    changed_words@1         how_much:ChangedWords
    min_word_length@1       which_words:MinWordLength
    same_pos@1              each_word:SamePos
    word_similarity@1       each_word:WordSimilarity
goal scrutiny.perturb.search.goals.
    confidence@1         labels:Confidence
    disagreement@1       two_models:Disagreement
    input_reduction@1    keeping:FewestWords
    keep_output@1        keeping:KeepOutput
    output_text@1        outputs:OutputText
    regression_margin@1  two_models:RegressionMargin
    tagging@1            outputs:Tagging
    targeted@1           labels:Targeted
    untargeted@1         labels:Untargeted
search_method scrutiny.perturb.search.methods.
    beam@1            beam:Beam
    exhaustive@1      unguided:Exhaustive
    first_order@1     first_order:FirstOrder
    genetic@1         genetic:Genetic
    greedy@1          beam:Greedy
    greedy_ranked@1   greedy_ranked:GreedyRanked
    particle_swarm@1  particle_swarm:ParticleSwarm
    random@1          unguided:RandomChoice
attack scrutiny.perturb.recipes.
    a2t@1              similar_words:A2t
    alzantot@1         similar_words:Alzantot
    bae@1              bae:Bae
    bert_attack@1      predicted_words:BertAttack
    checklist@1        checklist:CheckList
    chinese@1          characters:Chinese
    clare@1            predicted_words:Clare
    deepwordbug@1      characters:DeepWordBug
    hotflip@1          hotflip:HotFlip
    input_reduction@1  input_reduction:InputReduction
    pruthi@1           characters:Pruthi
    pso@1              wordnet_words:Pso
    pwws@1             wordnet_words:Pwws
    textbugger@1       characters:TextBugger
    textfooler@1       similar_words:TextFooler
attribute scrutiny.data.attributes.
    negated@1            texts:negated
    question@1           texts:question
    exclamation@1        texts:exclamation
    number@1             texts:number
    capitals@1           texts:capitals
    name@1               texts:name
    rare_word@1          texts:rare_word
    contrast@1           texts:contrast
    condition@1          texts:condition
    comparison@1         texts:comparison
    first_person@1       texts:first_person
    quotation@1          texts:quotation
    address@1            texts:address
    emoji@1              texts:emoji
    drawn_out@1          texts:drawn_out
    other_letters@1      texts:other_letters
    several_sentences@1  texts:several_sentences
    no_function_word@1   texts:no_function_word
    length@1             texts:length
    longest_text@1       texts:longest_text
    rarest_word@1        texts:rarest_word
    gender@1             texts:gender
    question_word@1      texts:question_word
    label@1              texts:label
    language@1           texts:language
    in_training@1        training:in_training
    unseen_words@1       training:unseen_words
    label_share@1        training:label_share
task scrutiny.tasks.
    aligned-pairs@1             annotated.aligned_pairs:AlignedPairs
    anchored-spans@1            annotated.anchored_spans:AnchoredSpans
    association-test@1          stereotypes.association_test:AssociationTest
    coreference@1               coreference.coreference:Coreference
    dependency-arcs@1           dependencies.dependency_arcs:DependencyArcs
    mention-clusters@1          annotated.mention_clusters:MentionClusters
    minimal-pairs@1             stereotypes.sentence_pairs:MinimalPairs
    passages@1                  texts.passages:Passages
    sentence-pairs@1            stereotypes.sentence_pairs:SentencePairs
    sentence-triples@1          stereotypes.sentence_triples:SentenceTriples
    stored-heads@1              texts.passages:StoredHeads
    text-classification@1       classification.classes:TextClassification
    text-pair-classification@1  classification.classes:TextPairClassification
    token-classes@1             annotated.token_classes:TokenClasses
    question-answering@1        reading.question_answering:QuestionAnswering
    situation-questions@1       reading.question_answering:SituationQuestions
    token-tagging@1             tagging.token_tagging:TokenTagging
    translation@1               generation.translation:Translation
reader scrutiny.data.readers.
    arrow@1        parquet:read_arrow
    brat@1         spans:read_brat
    builtin@1      builtin:read
    conll@1        conll:read
    conll2012@1    conll2012:read
    conllu@1       conllu:read
    contrast@1     contrast.reader:read
    crows-pairs@1  crows_pairs:read
    csv@1          delimited:read_csv
    gap@1          gap:read
    head-scores@1  head_scores:read
    hf@1           hub:read
    json@1         json_rows:read_json
    jsonl@1        json_rows:read_jsonl
    negation@1     negations.negation:read
    parallel@1     parallel:read
    parquet@1      parquet:read
    sent-bias@1    sent_bias:read
    spans@1        spans:read
    squad@1        squad:read
    stereoset@1    stereoset:read
    suite@1        suite:read
    text@1         plain_text:read
    tsv@1          delimited:read_tsv
    xlsx@1         delimited:read_xlsx
adapter scrutiny.models.
    attention-classifier@1  words.attention:ADAPTER
    builtin@1               builtin.adapter:ADAPTER
    choice@1                choice.classifier:ADAPTER
    head-scores@1           stored.head_scores:ADAPTER
    hf@1                    hf.adapter:ADAPTER
    http@1                  http.model:ADAPTER
    linear@1                words.linear:ADAPTER
    named@1                 named.names:ADAPTER
    onnx@1                  onnx.classifier:ADAPTER
    predictions@1           stored.predictions:ADAPTER
    python@1                python.objects:ADAPTER
    recurrent@1             words.recurrent:ADAPTER
    rules@1                 rules.head_match:ADAPTER
    spacy@1                 spacy.pipeline:ADAPTER
    translate@1             generation.translate:ADAPTER
    untrained@1             named.untrained:ADAPTER
    written@1               written.local:ADAPTER
    zoo@1                   named.zoo:ADAPTER
adapter scrutiny.perturb.
    smoothed@1  smoothed_model:ADAPTER
trainer scrutiny.training.
    attention-classifier@1  words.trainer:ATTENTION
    finetune@1              finetuning.trainer:FINETUNE
    linear@1                words.trainer:LINEAR
    recurrent@1             words.trainer:RECURRENT
    spacy@1                 words.trainer:PARSER
statistic scrutiny.reliability.of_measures:
    mean@1    MEAN
    median@1  MEDIAN
    share@1   SHARE
statistic scrutiny.reliability.statistics:
    accuracy@1     ACCURACY
    broken_rate@1  BROKEN_RATE
    coverage@1     COVERAGE
    mended_rate@1  MENDED_RATE
    entity_f1@1    ENTITY_F1
    flip_rate@1    FLIP_RATE
    changed_share@1  CHANGED_SHARE
statistic scrutiny.tasks.generation.metrics:
    bleu@1  BLEU
    chrf@1  CHRF
statistic scrutiny.tasks.reading.metrics:
    answer_f1@1    ANSWER_F1
    exact_match@1  EXACT_MATCH
statistic scrutiny.tasks.dependencies.metrics:
    las@1   LAS
    uas@1   UAS
    upos@1  UPOS
    xpos@1  XPOS
statistic scrutiny.tasks.coreference.metrics:
    b_cubed_f1@1       B_CUBED_F1
    ceaf_e_f1@1        CEAF_E_F1
    conll_f1@1         CONLL_F1
    linked_conll_f1@1  LINKED_CONLL_F1
    mention_f1@1       MENTION_F1
    muc_f1@1           MUC_F1
statistic scrutiny.diagnostics.stereotypes.metrics:
    decided_score@1     DECIDED_SCORE
    icat@1              ICAT
    lms@1               LMS
    length_score@1      LENGTH_SCORE
    original_minus@1    ORIGINAL_MINUS
    ss@1                SS
    stereotype_score@1  STEREOTYPE_SCORE
statistic scrutiny.diagnostics.association.metrics:
    adjusted_rand@1           ADJUSTED_RAND
    cluster_alignment@1       ALIGNMENT
    effect_size@1             EFFECT_SIZE
    inertia@1                 INERTIA
    single_start_alignment@1  SINGLE_START
statistic scrutiny.diagnostics.attention.metrics.heads:
    base_best_head@1               BASE_BEST_HEAD
    best_head@1                    BEST_HEAD
    baseline@1                     BASELINE
    head@1                         HEAD
    mean_head@1                    MEAN_HEAD
    selected_baseline@1            SELECTED_BASELINE
    selected_head@1                SELECTED_HEAD
    selected_head_over_baseline@1  SELECTED_HEAD_OVER_BASELINE
    f1_over_baseline@1             F1_OVER_BASELINE
statistic scrutiny.diagnostics.attention.metrics.offsets:
    best_offset@1                BEST_OFFSET
    mean_offset@1                MEAN_OFFSET
    selected_head_over_offset@1  SELECTED_HEAD_OVER_OFFSET
statistic scrutiny.diagnostics.attention.metrics.tau:
    gain_tau@1             GAIN_TAU
    gain_tau_other_half@1  GAIN_TAU_OTHER_HALF
    heads_tau@1            HEADS_TAU
    split_half_tau@1       SPLIT_HALF_TAU
statistic scrutiny.diagnostics.attention.metrics.regression:
    beta@1                 BETA
    lost_ss@1              LOST_SS
    regression_r2@1        REGRESSION_R2
    selected_label_beta@1  SELECTED_LABEL_BETA
statistic scrutiny.diagnostics.faithfulness.metrics:
    flips@1                      FLIPS
    erasure_js_reversed@1        ERASURE_JS_REVERSED
    erasure_js_slope@1           ERASURE_JS_SLOPE
    never_flips@1                NEVER_FLIPS
    erasure_share_gap@1          ERASURE_SHARE_GAP
    permutation_change_peaked@1  PERMUTATION_CHANGE_PEAKED
    permutation_correlation@1    PERMUTATION_CORRELATION
    adversarial_found@1          ADVERSARIAL_FOUND
    changed_head@1               CHANGED_HEAD
    mean_changed_head@1          MEAN_CHANGED_HEAD
    selected_changed_head@1      SELECTED_CHANGED_HEAD
    selected_head_over_layer@1   SELECTED_HEAD_OVER_LAYER
statistic scrutiny.diagnostics.attention.metrics.patterns:
    attention_to@1      ATTENTION_TO
    labeled_heads@1     LABELED_HEADS
    class_mass_ratio@1  CLASS_MASS_RATIO
    layer_distance@1    LAYER_DISTANCE
    positional_share@1  POSITIONAL_SHARE
statistic scrutiny.diagnostics.repeats.diagnostic:
    noise_floor@1  NOISE_FLOOR
statistic scrutiny.diagnostics.suites.metrics:
    chance_consistency@1  CHANCE_CONSISTENCY
statistic scrutiny.diagnostics.attack.metrics:
    attack_success@1         ATTACK_SUCCESS
    tried@1                  TRIED
    accuracy_under_attack@1  ACCURACY_UNDER_ATTACK
    transfer_rate@1          TRANSFER_RATE
    valid_share@1            VALID_SHARE
    success_within@1         SUCCESS_WITHIN
    valid_success@1          VALID_SUCCESS
    similar_success@1        SIMILAR_SUCCESS
    valid_attack_success@1   VALID_ATTACK_SUCCESS
    rater_separation@1       RATER_SEPARATION
    words_changed@1          WORDS_CHANGED
    perplexity_ratio@1       PERPLEXITY_RATIO
statistic scrutiny.diagnostics.invariance.metrics:
    hard_scope@1        HARD_SCOPE
    soft_scope@1        SOFT_SCOPE
    kept_by@1           KEPT_BY
    scope_lift@1        SCOPE_LIFT
    kappa_inv@1         KAPPA_INV
    invariance_phi@1    INVARIANCE_PHI
    invariance_kappa@1  INVARIANCE_KAPPA
    mean_distance@1     MEAN_DISTANCE
    ood_agreement@1     OOD_AGREEMENT
    pairs_found@1       PAIRS_FOUND
statistic scrutiny.reliability.label_statistics:
    label_entropy@1    LABEL_ENTROPY
    commonest_label@1  COMMONEST_LABEL
    kappa@1            KAPPA
statistic scrutiny.diagnostics.similarity.metrics.outputs:
    agreement@1          AGREEMENT
    accuracy_change@1    ACCURACY_CHANGE
    accuracy_gap@1       ACCURACY_GAP
    nfr@1                NFR
    pfr@1                PFR
    correctness_flips@1  CORRECTNESS_FLIPS
    error_consistency@1  ERROR_CONSISTENCY
    capa@1               CAPA
    capa_of_labels@1     CAPA_OF_LABELS
    jsd@1                JSD
    tv@1                 TV
    kl_ab@1              KL_AB
    kl_ba@1              KL_BA
    p_gold_change@1      P_GOLD_CHANGE
    p_gold_rms@1         P_GOLD_RMS
statistic scrutiny.diagnostics.similarity.metrics.drift:
    farther@1           FARTHER
    label_mmd@1         LABEL_MMD
    logprob_change@1    LOGPROB_CHANGE
    logprob_distance@1  LOGPROB_DISTANCE
statistic scrutiny.diagnostics.similarity.metrics.representations:
    likeness@1  LIKENESS
    stir@1      STIR
statistic scrutiny.diagnostics.calibration.metrics:
    calibration_error@1  CALIBRATION_ERROR
statistic scrutiny.diagnostics.classes.metrics:
    label_f1@1   LABEL_F1
    macro_f1@1   MACRO_F1
    precision@1  PRECISION
    recall@1     RECALL
part scrutiny.
    published@1       parts.published:PART
    matrices@1        parts.matrices:PART
    layer-grid@1      parts.layer_grid:PART
    slices@1          parts.slices:PART
    suites@1          diagnostics.suites.parts:PART  suites
    attacks@1         diagnostics.attack.parts:PART  attack_success
    classes@1         diagnostics.classes.parts:PART  classes
    calibration@1     diagnostics.calibration.parts:PART  calibration_error
    labels@1          diagnostics.labels.parts:PART  labels
    seeds@1           parts.seeds:PART
    flip-histogram@1  parts.flip_histogram:PART
    specification@1   parts.specification:PART
    over-steps@1      parts.over_steps:PART
    agreement@1       parts.agreement:PART
    convergent@1      parts.convergent:PART
    abstention@1      parts.abstention:PART
    seed-spread@1     diagnostics.performance.parts:PART
    relations@1       parts.relations:PART
    comparisons@1     parts.comparisons:PART
    undecided@1       parts.undecided:PART
    kept-answers@1    diagnostics.invariance.parts:PART  hard_scope
    side-by-side@1    diagnostics.similarity.parts.side_by_side:PART
    likeness@1        diagnostics.similarity.parts.likeness:PART  likeness
    overlap@1         diagnostics.leakage.parts:PART  leakage
    heads-maps@1      diagnostics.attention.parts.maps:PART  condition.layer
    heads-changes@1   diagnostics.attention.parts.changes:PART  condition.layer
    heads-layers@1    diagnostics.attention.parts.layers:PART  condition.layer
    heads-tau@1       diagnostics.attention.parts.tau:PART  condition.layer
    heads-examples@1  diagnostics.attention.parts.examples:PART  condition.layer
"""


def _read(table: str) -> Iterator[Registration]:
    kind = start = ""
    for line in table.strip().splitlines():
        if line.startswith(" "):
            name, target, *needs = line.split()
            yield Registration(kind, name, start + target, *needs)
        else:
            kind, start = line.split()


REGISTRATIONS: Final = tuple(_read(_TABLE))

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
    aflite@1                      artifacts.filtering:Aflite
    artifacts@1                   artifacts.artifacts:Artifacts
    artifacts.one-text@1          artifacts.artifacts:TextArtifacts
    association.clusters@1        association.clusters:ClusterAlignment  representations
    association.seat@1            association.seat:Seat  representations
    attack@1                      attack.attacks:Attacks
    attack.transfer@1             attack.transfer:Transfer  reference
    attribution@1                 attribution.removal:Attribution
    attribution.methods@1         attribution.agreement:MethodAgreement
    attribution.overstability@1   attribution.overstability:Overstability
    attribution.rationales@1      attribution.rationales:Rationales
    attribution.seeds@1           attribution.agreement:SeedAgreement  reference
    attribution.sensitivity@1     attribution.sensitivity:Sensitivity
    attribution.weights@1         attribution.agreement:WeightAgreement  shuffled_weights
    attention.arcs@1              attention.arcs:HeadArcs  attentions
    attention.baselines@1         attention.without_model:SpanBaselines
    attention.classes@1           attention.word_classes:AttendedClasses  attentions
    attention.coreference@1       attention.coreference:HeadCoreference  attentions
    attention.divergence@1        attention.patterns:Divergence  attentions
    attention.heads@1             attention.heads:Heads  attentions
    attention.patterns@1          attention.patterns:Patterns  attentions
    attention.probe@1             attention.probes:AttentionProbe  attentions
    attention.regression@1        attention.regression:Regression  attentions
    attention.stored@1            attention.without_model:Stored  head_counts
    cells@1                       cells.cells:Cells  cells
    faithfulness.adversarial@1    faithfulness.other_attention:Adversarial  attention_layer
    faithfulness.agreement@1      faithfulness.agreement:AttentionAgreement  attention_layer
    faithfulness.erasure@1        faithfulness.erasure:Erasure  attention_layer
    faithfulness.heads@1          faithfulness.needed_heads:FaithfulHeads  head_interventions
    faithfulness.permutation@1    faithfulness.other_attention:Permutation  attention_layer
    calibration@1                 calibration.calibration:Calibration
    judge@1                       judges.judge:Judge
    performance@1                 performance.performance:Performance
    repeats@1                     repeats:Repeats  varies
    leakage@1                     leakage:Leakage  training_hashes
    layers.contexts@1             layers.contexts:LayerContexts  representations
    layers.probes@1               layers.probes:LayerProbes  representations
    layers.spans@1                layers.spans:LayerSpans  representations
    influence@1                   influence.influence:Influence  last_layer
    influence.vectors@1           influence.influence:VectorInfluence  representations
    invariance.scope@1            invariance.shared_invariance:SharedInvariance  reference
    labels@1                      labels.labels:DoubtfulLabels
    memorization@1                memorization:Memorization
    landscape@1                   landscape:Landscape  landscape
    robustness@1                  robustness.robustness:Robustness
    similarity.drift@1            similarity.drift:Drift  reference
    similarity.drift-texts@1      similarity.drift_texts:DriftTexts  reference
    similarity.outputs@1          similarity.outputs:SimilarityOutputs  reference
    similarity.representations@1  similarity.representations:SimilarityRepresentations  reference
    similarity.stir@1             similarity.stir:SharedVectors  reference
    classes@1                     classes.classes:Classes
    parts@1                       classes.parts:Parts
    competence@1                  competence:Competence  tokenizes
    suites@1                      suites.suites:Suites  suite
    stereotypes.crows-pairs@1     stereotypes.pairs:CrowsPairs  tokenizes
    stereotypes.pairs@1           stereotypes.pairs:Pairs  tokenizes
    stereotypes.stereoset@1       stereotypes.stereoset:StereoSet  tokenizes
    wordings@1                    wordings.wordings:PromptWordings  wordings
expectation scrutiny.diagnostics.suites.expectations:
    attaches@1     Attaches
    follows@1      Follows
    gold@1         Gold
    is@1           Is
    is_not@1       IsNot
    moves@1        Moves
    same@1         Same
    stays_right@1  StaysRight
expectation scrutiny.diagnostics.suites.response_expectations:
    about@1        IsAbout
    answers@1      AnswersAtAll
    contains@1     Contains
    in_language@1  InLanguage
    json@1         IsJson
    lacks@1        Lacks
    matches@1      Matches
    refuses@1      Refuses
    words@1        Long
transformation scrutiny.perturb.characters.
    delete_letter@1        slips:DeleteLetter
    hidden_reorder@1       surface:HiddenReorder
    homoglyph@1            surface:Homoglyph
    homophone@1            chinese:Homophone
    insert_letter@1        slips:InsertLetter
    invisible_character@1  surface:InvisibleCharacter
    keyboard@1             typos:Keyboard
    look_alike@1           chinese:LookAlike
    middle_swap@1          typos:MiddleSwap
    neighbor_key@1         typos:NeighborKey
    ocr@1                  misspellings:Ocr
    punctuation@1          surface:Punctuation
    spelling_error@1       misspellings:SpellingError
    split_word@1           slips:SplitWord
    substitute_letter@1    slips:SubstituteLetter
    swap_letters@1         slips:SwapLetters
    typos@1                typos:Typos
    word_case@1            surface:WordCase
transformation scrutiny.perturb.words.
    antonym_clash@1     opposites:AntonymClash
    abbreviation@1      chinese_words:Abbreviation
    ambiguous_word@1    ambiguous_words:AmbiguousWord
    chinese_number@1    chinese_words:ChineseNumber
    chinese_synonym@1   chinese_words:ChineseSynonym
    antonym_swap@1      replacing:AntonymSwap
    contraction@1       added_and_dropped:Contraction
    delete_word@1       added_and_dropped:DeleteWord
    double_denial@1     double_denial:DoubleDenial
    inflections@1       replacing:Inflections
    insert_adverb@1     added_and_dropped:InsertAdverb
    kind_clause@1       marked_words:KindClause
    marked_noun_swap@1  marked_words:MarkedNounSwap
    masked_insert@1     masked_words:MaskedInsert
    masked_lm@1         masked_words:MaskedLm
    masked_merge@1      masked_words:MaskedMerge
    masked_replace@1    masked_words:MaskedReplace
    name_part@1         chinese_words:NamePart
    number_clash@1      clashes:NumberClash
    number_swap@1       number_swap:NumberSwap
    prefix_swap@1       ambiguous_words:PrefixSwap
    reduplication@1     chinese_words:Reduplication
    sense_synonym@1     marked_words:SenseSynonym
    shown_replace@1     masked_words:ShownReplace
    synonym_vectors@1   synonyms:SynonymVectors
    synonym_wordnet@1   synonyms:SynonymWordnet
    tense@1             tense:Tense
    vector_neighbors@1  synonyms:VectorNeighbors
    verb_one_verb@1     chinese_words:VerbOneVerb
    wordnet_all@1       synonyms:WordnetAll
transformation scrutiny.perturb.phrases.
    add_aspects@1             added_aspects:AddAspects
    add_fact@1          add_fact:AddFact
    delete_subtree@1    subtrees:DeleteSubtree
    entity_swap@1       entity_swap:EntitySwap
    entity_type_swap@1  entity_type_swap:EntityTypeSwap
    known_name_swap@1   known_names:KnownNameSwap
    mention_swap@1      entity_swap:MentionSwap
    name_place_swap@1   name_place_swap:NamePlaceSwap
    other_gender@1      meant_people:OtherGender
    other_names@1       meant_people:OtherNames
    passive@1           passive:Passive
    relative_clause@1   meant_people:RelativeClause
    reverse_negation@1  reverse_negation:ReverseNegation
    same_mention@1      both_sides:SameMention
    same_number@1       both_sides:SameNumber
    same_word@1         both_sides:SameWord
    reverse_opinion@1         reversed_opinions:ReverseOpinion
    reverse_other_opinions@1  reversed_opinions:ReverseOtherOpinions
    social_media@1      social_media:SocialMedia
transformation scrutiny.perturb.passages.
    add_sentence@1      sentence_changes:AddSentence
    asked_word_slip@1   option_changes:AskedWordSlip
    distractor@1        question_changes:Distractor
    drop_sentence@1     sentence_changes:DropSentence
    empty_prefix@1      empty_words:EmptyPrefix
    option_from_passage@1  option_makers:OptionFromPassage
    option_sentence@1   option_changes:OptionSentence
    other_question@1    question_changes:OtherQuestion
    sentence_order@1    sentence_changes:SentenceOrder
    written_option@1    option_makers:WrittenOption
transformation scrutiny.perturb.following:
    concatenate@1  Concatenate
transformation scrutiny.perturb.sentences:
    append_irrelevant@1  AppendIrrelevant
    back_translation@1   BackTranslation
    tautology@1          Tautology
constraint scrutiny.perturb.constraints.
    edit_distance@1         extent:EditDistance
    embedding_similarity@1  meaning:EmbeddingSimilarity
    entailment@1            meaning:Entailment
    grammar@1               fluency:Grammar
    likeliest@1             fluency:Likeliest
    logprob_drop@1          fluency:LogprobDrop
    max_change@1            extent:MaxChange
    perplexity_ratio@1      fluency:PerplexityRatio
    protected_phrases@1     extent:ProtectedPhrases
    sentence_similarity@1   meaning:SentenceSimilarity
    stop_words@1            extent:StopWords
    changed_words@1         extent:ChangedWords
    min_word_length@1       extent:MinWordLength
    same_pos@1              meaning:SamePos
    word_similarity@1       meaning:WordSimilarity
goal scrutiny.perturb.search.goals.
    answer_stays@1       output_goals:AnswerStays
    confidence@1         label_goals:Confidence
    disagreement@1       label_goals:Disagreement
    input_reduction@1    output_goals:FewestWords
    keep_output@1        output_goals:KeepOutput
    output_text@1        output_goals:OutputText
    part_lost@1          answer_goals:PartLost
    regression_margin@1  label_goals:RegressionMargin
    score_falls@1        answer_goals:ScoreFalls
    tagging@1            output_goals:Tagging
    targeted@1           label_goals:Targeted
    untargeted@1         label_goals:Untargeted
search_method scrutiny.perturb.search.methods.
    beam@1            plain_searches:Beam
    exhaustive@1      plain_searches:Exhaustive
    first_order@1     first_order:FirstOrder
    genetic@1         populations:Genetic
    greedy@1          plain_searches:Greedy
    greedy_ranked@1   greedy_ranked:GreedyRanked
    most_harmful@1    explained:MostHarmful
    named_places@1    explained:NamedPlaces
    named_words@1     explained:NamedWords
    particle_swarm@1  populations:ParticleSwarm
    random@1          plain_searches:RandomChoice
attack scrutiny.perturb.recipes.
    a2t@1              similar_words:A2t
    alzantot@1         similar_words:Alzantot
    bae@1              predicted_words:Bae
    bert_attack@1      predicted_words:BertAttack
    checklist@1        without_models:CheckList
    chinese@1          characters:Chinese
    clare@1            predicted_words:Clare
    deepwordbug@1      characters:DeepWordBug
    empty_prefixes@1   explained:EmptyPrefixes
    hotflip@1          hotflip:HotFlip
    input_reduction@1  without_models:InputReduction
    named_sentence@1   explained:SentenceOfNamedWords
    named_stop_words@1  explained:NamedStopWords
    pruthi@1           characters:Pruthi
    pso@1              without_models:Pso
    pwws@1             without_models:Pwws
    subject_replaced@1  explained:SubjectReplaced
    textbugger@1       characters:TextBugger
    textfooler@1       similar_words:TextFooler
attribute scrutiny.data.
    negated@1            text_attributes:negated
    question@1           text_attributes:question
    exclamation@1        text_attributes:exclamation
    number@1             text_attributes:number
    capitals@1           text_attributes:capitals
    name@1               text_attributes:name
    rare_word@1          text_attributes:rare_word
    contrast@1           text_attributes:contrast
    condition@1          text_attributes:condition
    comparison@1         text_attributes:comparison
    first_person@1       text_attributes:first_person
    quotation@1          text_attributes:quotation
    address@1            text_attributes:address
    emoji@1              text_attributes:emoji
    drawn_out@1          text_attributes:drawn_out
    other_letters@1      text_attributes:other_letters
    several_sentences@1  text_attributes:several_sentences
    no_function_word@1   text_attributes:no_function_word
    length@1             text_attributes:length
    lexical_richness@1   text_attributes:lexical_richness
    longest_text@1       text_attributes:longest_text
    marked_distance@1    text_attributes:marked_distance
    mismatch@1           shared_words:mismatch
    overlap@1            shared_words:overlap
    rarest_word@1        text_attributes:rarest_word
    gender@1             text_attributes:gender
    question_word@1      text_attributes:question_word
    label@1              text_attributes:label
    language@1           text_attributes:language
    in_training@1        attribute:in_training
    unseen_words@1       attribute:unseen_words
    label_share@1        attribute:label_share
attribute scrutiny.perturb.resources.
    perplexity@1         item_perplexity:perplexity
part_attribute scrutiny.data.parts.part_attributes:
    capitals@1                        capitals
    character_consistency@1           character_consistency
    character_frequency@1             character_frequency
    characters@1                      characters
    consistency_interpreteval@1       consistency_interpreteval
    consistency_spans@1               consistency_spans
    consistency_tokens@1              consistency_tokens
    coverage@1                        coverage
    density@1                         density
    dictionary@1                      dictionary
    distance@1                        distance
    frequency@1                       frequency
    frequency_interpreteval@1         frequency_interpreteval
    label@1                           label
    length@1                          length
    position@1                        position
    text_length@1                     text_length
    unseen@1                          unseen
    unseen_density@1                  unseen_density
    word_consistency@1                word_consistency
    word_consistency_interpreteval@1  word_consistency_interpreteval
    word_frequency@1                  word_frequency
    word_frequency_interpreteval@1    word_frequency_interpreteval
task scrutiny.tasks.
    aligned-pairs@1             annotated:AlignedPairs
    anchored-spans@1            annotated:AnchoredSpans
    aspect-sentiment@1          aspects:AspectSentiment
    association-test@1          stereotypes:AssociationTest
    coreference@1               coreference:Coreference
    dependency-arcs@1           dependency_arcs:DependencyArcs
    mention-clusters@1          annotated:MentionClusters
    minimal-pairs@1             stereotypes:MinimalPairs
    multi-label-classification@1  classification:MultiLabelClassification
    multiple-choice@1           choices:MultipleChoice
    passage-ranking@1           choices:PassageRanking
    judged-answers@1            judgments:JudgedAnswers
    judged-pairs@1              judgments:JudgedPairs
    relation-classification@1   classification:RelationClassification
    passages@1                  annotated:Passages
    sentence-pairs@1            stereotypes:SentencePairs
    sentence-triples@1          stereotypes:SentenceTriples
    stored-heads@1              annotated:StoredHeads
    text-classification@1       classification:TextClassification
    text-pair-classification@1  classification:TextPairClassification
    token-classes@1             annotated:TokenClasses
    multi-span-questions@1      question_answering:MultiSpanQuestions
    pronoun-resolution@1        pronouns:PronounResolution
    question-answering@1        question_answering:QuestionAnswering
    situation-questions@1       question_answering:SituationQuestions
    stretch-questions@1         stretch_questions:StretchQuestions
    token-tagging@1             token_tagging:TokenTagging
    generation@1                generation:FreeGeneration
    translation@1               translation:Translation
    word-segmentation@1         segmentation:WordSegmentation
    word-senses@1               senses:WordSenses
reader scrutiny.data.readers.
    agreement@1    conll:read_agreement
    arrow@1        parquet:read_arrow
    aspects@1      aspects:read
    brat@1         spans:read_brat
    builtin@1      builtin:read_sample
    conll@1        conll:read
    conll2012@1    coreference:read_conll2012
    conllu@1       conll:read_conllu
    contrast@1     contrast_sets:read
    crows-pairs@1  stereotype_sentences:read_crows_pairs
    csv@1          delimited:read_csv
    dream@1        options:read_dialogues
    eraser@1       eraser:read
    gap@1          coreference:read_gap
    head-scores@1  builtin:read_head_scores
    hf@1           objects:read_hub
    json@1         json_rows:read_json
    jsonl@1        json_rows:read_jsonl
    negation@1     negation:read
    parallel@1     parallel:read
    parquet@1      parquet:read
    relations@1    relations:read
    segmented@1    conll:read_segmented
    senses@1       senses:read
    sent-bias@1    sent_bias:read
    spans@1        spans:read
    squad@1        squad:read
    stereoset@1    stereotype_sentences:read_stereoset
    suite@1        suites:read
    text@1         delimited:read_text
    tsv@1          delimited:read_tsv
    winograd@1     options:read_pronouns
    xlsx@1         delimited:read_xlsx
adapter scrutiny.models.
    attention-classifier@1  words.attention_classifier:ADAPTER
    builtin@1               builtin.builtin_model:ADAPTER
    choice@1                prompting.choice_classifier:ADAPTER
    convolution@1           words.convolution_classifier:ADAPTER
    head-scores@1           stored_head_scores:ADAPTER
    hf@1                    hf.adapter:ADAPTER
    http@1                  http.http_model:ADAPTER
    linear@1                words.linear_classifier:ADAPTER
    named@1                 named_models:ADAPTER
    onnx@1                  onnx_classifier:ADAPTER
    predictions@1           stored_predictions:ADAPTER
    verdicts@1              stored_verdicts:ADAPTER
    python@1                python.python_model:ADAPTER
    recurrent@1             words.recurrent_classifier:ADAPTER
    rules@1                 rules:ADAPTER
    self-attention@1        words.self_attention_classifier:ADAPTER
    spacy@1                 spacy_models:ADAPTER
    translate@1             translators:ADAPTER
    untrained@1             named_models:UNTRAINED_ADAPTER
    written@1               prompting.writing_model:ADAPTER
    zoo@1                   zoo:ADAPTER
adapter scrutiny.perturb.smoothed_model:
    smoothed@1  ADAPTER
trainer scrutiny.training.
    attention-classifier@1  words.trainers:ATTENTION
    convolution@1           words.trainers:CONVOLUTION
    finetune@1              finetuning.finetuning:FINETUNE
    linear@1                words.trainers:LINEAR
    recurrent@1             words.trainers:RECURRENT
    self-attention@1        words.trainers:SELF_ATTENTION
    spacy@1                 words.trainers:PARSER
statistic scrutiny.reliability.statistics:
    mean@1    MEAN
    median@1  MEDIAN
    share@1   SHARE
statistic scrutiny.reliability.statistics:
    accuracy@1       ACCURACY
    broken_rate@1    BROKEN_RATE
    coverage@1       COVERAGE
    mended_rate@1    MENDED_RATE
    entity_f1@1      ENTITY_F1
    flip_rate@1      FLIP_RATE
    changed_share@1  CHANGED_SHARE
statistic scrutiny.tasks.response_scores:
    cut_off_share@1         CUT_OFF_SHARE
    empty_share@1           EMPTY_SHARE
    other_language_share@1  OTHER_LANGUAGE_SHARE
    refused_share@1         REFUSED_SHARE
    wrong_share@1           WRONG_SHARE
statistic scrutiny.tasks.translation:
    bleu@1  BLEU
    chrf@1  CHRF
statistic scrutiny.tasks.question_answering:
    answer_f1@1    ANSWER_F1
    exact_match@1  EXACT_MATCH
statistic scrutiny.tasks.scores:
    las@1   LAS
    uas@1   UAS
    upos@1  UPOS
    xpos@1  XPOS
    hamming@1   HAMMING
    micro_f1@1  MICRO_F1
    mrr@1       MRR
    recall_at_precision@1  RECALL_AT_PRECISION
    sense_f1@1  SENSE_F1
    word_f1@1   WORD_F1
statistic scrutiny.tasks.coreference:
    b_cubed_f1@1       B_CUBED_F1
    ceaf_e_f1@1        CEAF_E_F1
    conll_f1@1         CONLL_F1
    linked_conll_f1@1  LINKED_CONLL_F1
    mention_f1@1       MENTION_F1
    muc_f1@1           MUC_F1
statistic scrutiny.diagnostics.stereotypes.stereotype_scores:
    decided_score@1     DECIDED_SCORE
    icat@1              ICAT
    lms@1               LMS
    length_score@1      LENGTH_SCORE
    original_minus@1    ORIGINAL_MINUS
    ss@1                SS
    stereotype_score@1  STEREOTYPE_SCORE
statistic scrutiny.diagnostics.association.association_metrics:
    adjusted_rand@1           ADJUSTED_RAND
    cluster_alignment@1       ALIGNMENT
    effect_size@1             EFFECT_SIZE
    inertia@1                 INERTIA
    single_start_alignment@1  SINGLE_START
statistic scrutiny.diagnostics.attention.head_metrics:
    base_best_head@1               BASE_BEST_HEAD
    best_head@1                    BEST_HEAD
    baseline@1                     BASELINE
    head@1                         HEAD
    mean_head@1                    MEAN_HEAD
    selected_baseline@1            SELECTED_BASELINE
    selected_head@1                SELECTED_HEAD
    selected_head_over_baseline@1  SELECTED_HEAD_OVER_BASELINE
    f1_over_baseline@1             F1_OVER_BASELINE
statistic scrutiny.diagnostics.attention.head_metrics:
    best_offset@1                BEST_OFFSET
    mean_offset@1                MEAN_OFFSET
    selected_head_over_offset@1  SELECTED_HEAD_OVER_OFFSET
statistic scrutiny.diagnostics.attention.head_metrics:
    gain_tau@1             GAIN_TAU
    gain_tau_other_half@1  GAIN_TAU_OTHER_HALF
    heads_tau@1            HEADS_TAU
    split_half_tau@1       SPLIT_HALF_TAU
statistic scrutiny.diagnostics.attention.regression:
    beta@1                 BETA
    lost_ss@1              LOST_SS
    regression_r2@1        REGRESSION_R2
    selected_label_beta@1  SELECTED_LABEL_BETA
statistic scrutiny.diagnostics.faithfulness.faithfulness_metrics:
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
statistic scrutiny.diagnostics.attention.pattern_metrics:
    attention_to@1      ATTENTION_TO
    labeled_heads@1     LABELED_HEADS
    class_mass_ratio@1  CLASS_MASS_RATIO
    layer_distance@1    LAYER_DISTANCE
    positional_share@1  POSITIONAL_SHARE
statistic scrutiny.diagnostics.repeats:
    noise_floor@1  NOISE_FLOOR
statistic scrutiny.diagnostics.suites.suite_claims:
    chance_consistency@1  CHANCE_CONSISTENCY
    whole_originals@1     WHOLE_ORIGINALS
    whole_changed@1       WHOLE_CHANGED
statistic scrutiny.diagnostics.attack.attack_metrics:
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
statistic scrutiny.diagnostics.invariance.scope_metrics:
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
statistic scrutiny.reliability.statistics:
    label_entropy@1    LABEL_ENTROPY
    commonest_label@1  COMMONEST_LABEL
    kappa@1            KAPPA
statistic scrutiny.diagnostics.similarity.outputs_records:
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
statistic scrutiny.diagnostics.similarity.drift_records:
    answer_distance@1   ANSWER_DISTANCE
    farther@1           FARTHER
    label_mmd@1         LABEL_MMD
    logprob_change@1    LOGPROB_CHANGE
    logprob_distance@1  LOGPROB_DISTANCE
statistic scrutiny.diagnostics.similarity.likeness_measures:
    likeness@1  LIKENESS
    stir@1      STIR
statistic scrutiny.diagnostics.artifacts.artifacts:
    told@1  TOLD
statistic scrutiny.diagnostics.artifacts.filtering:
    under@1  UNDER
statistic scrutiny.diagnostics.calibration.calibration:
    calibration_error@1  CALIBRATION_ERROR
statistic scrutiny.diagnostics.cells.cells:
    cell_r@1  CELL_R
statistic scrutiny.diagnostics.influence.influence_params:
    removal_drop@1       REMOVAL_DROP
    influence_rank@1     INFLUENCE_RANK
    among_influential@1  AMONG_INFLUENTIAL
statistic scrutiny.diagnostics.layers.layer_metrics:
    probe_accuracy@1       PROBE_ACCURACY
    known_word_accuracy@1  KNOWN_WORD_ACCURACY
    label_bits@1           LABEL_BITS
    label_compression@1    LABEL_COMPRESSION
    context_cosine@1       CONTEXT_COSINE
    phrase_cosine@1        PHRASE_COSINE
    separated_phrases@1    SEPARATED_PHRASES
statistic scrutiny.diagnostics.judges.judge_metrics:
    over_constant@1  OVER_CONSTANT
    length_lean@1    LENGTH_LEAN
    own_lean@1       OWN_LEAN
    corrected@1      CORRECTED
    human_mean@1     HUMAN_MEAN
    rogan_gladen@1   ROGAN_GLADEN
    labels_needed@1  LABELS_NEEDED
statistic scrutiny.diagnostics.classes.classes:
    label_f1@1        LABEL_F1
    macro_f1@1        MACRO_F1
    precision@1       PRECISION
    recall@1          RECALL
statistic scrutiny.diagnostics.classes.parts:
    part_f1@1         PART_F1
    part_precision@1  PART_PRECISION
    part_recall@1     PART_RECALL
part scrutiny.
    change-matrix@1   report.sections.change_matrix:PART  robustness
    score-matrix@1    report.sections.score_matrix:PART
    published@1       report.sections.published:PART
    matrices@1        report.sections.model_matrices:MATRICES
    layer-grid@1      report.sections.by_condition:LAYER_GRID
    slices@1          report.sections.comparisons:SLICES
    weak-slices@1     report.sections.weak_slices:PART
    suites@1          diagnostics.suites.suite_matrix:PART  suites
    attacks@1         diagnostics.attack.attack_tables:PART  attack_success
    classes@1         diagnostics.classes.class_scores:PART  classes
    parts@1           diagnostics.classes.part_scores:PART  parts
    calibration@1     diagnostics.calibration.reliability_curve:PART  calibration_error
    attribution@1     diagnostics.attribution.attribution_page:PART  condition.method
    overstability@1   diagnostics.attribution.attribution_curves:OVERSTABILITY  condition.kept
    without-reading@1  diagnostics.artifacts.without_reading:PART  condition.shown
    aflite@1          diagnostics.artifacts.without_reading:FILTERED  aflite
    labels@1          diagnostics.labels.doubtful_items:PART  labels
    cells@1           diagnostics.cells.cell_charts:PART  cell_r
    layers@1          diagnostics.layers.layer_charts:PROBES  probe_accuracy
    layers-contexts@1  diagnostics.layers.layer_charts:CONTEXTS  condition.pairs
    layers-spans@1    diagnostics.layers.layer_charts:SPANS  separated_phrases
    influence@1       diagnostics.influence.influential_examples:PART  removal_drop
    wordings@1        diagnostics.wordings.wording_scores:PART  condition.wording
    judge@1           diagnostics.judges.judge_page:PART  judge
    seeds@1           report.sections.seeds:PART
    flip-histogram@1  report.sections.item_hits:FLIPS
    specification@1   report.sections.by_condition:SPECIFICATION
    over-steps@1      report.sections.by_condition:OVER_STEPS
    agreement@1       report.sections.agreement:PART
    convergent@1      report.sections.over_replicates:CONVERGENT
    abstention@1      report.sections.item_hits:ABSTENTION
    seed-spread@1     diagnostics.performance.seed_spread:PART
    leaderboard@1     report.sections.leaderboard:PART
    split-study@1     report.sections.split_study:PART  performance
    relations@1       report.sections.over_replicates:RELATIONS
    comparisons@1     report.sections.comparisons:COMPARISONS
    undecided@1       report.findings.risks:UNDECIDED
    kept-answers@1    diagnostics.invariance.kept_answers:PART  hard_scope
    side-by-side@1    diagnostics.similarity.side_by_side.side_by_side_charts:PART
    likeness@1        diagnostics.similarity.likeness_chart:PART  likeness
    overlap@1         diagnostics.leakage:PART  leakage
    heads-maps@1      diagnostics.attention.parts.heads_maps:PART  condition.layer
    heads-changes@1   diagnostics.attention.parts.heads_changes:CHANGES  condition.layer
    heads-layers@1    diagnostics.attention.parts.heads_changes:LAYERS  condition.layer
    heads-tau@1       diagnostics.attention.parts.heads_tau:PART  condition.layer
    heads-examples@1  diagnostics.attention.parts.heads_examples:PART  condition.layer
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

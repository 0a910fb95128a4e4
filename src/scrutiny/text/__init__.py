"""Texts and English words: tokens, edits, lexicons, WordNet, tags, entities, inflection.

Everything here is a pure function of its arguments and of tables that ship with the package.
Offsets are code points of the text as given. Tables load lazily, once, and are read-only.
Any string, however odd, is accepted: no function here raises on the content of a text.

::

    tokens      Span = tuple[int, int]
                token_spans(text) -> list[Span]                fastest: offsets only
                token_texts(text) -> list[str]                 the surface words
                sentences(text) -> list[Span]                  offsets, white space outside
                graphemes(text) -> list[str]                   user-perceived characters
                is_word(token) -> bool                         has a letter; not URL, @, #
                is_number(token), is_punctuation(token) -> bool
                is_spaced(text) -> bool                        "it 's good ."
    literals    find_literals(text) -> tuple[Span, ...]        "&lt;" "<b>" "`x + y`" "@kim"
                tokens_with(literals, text) -> list[Span]      each of them is one token
    letters     letters(text) -> str                           case-folded letters alone
                letters_and_marks(text) -> str                 with numbers and symbols
                marks(text) -> tuple[str, ...]                 numbers and symbols, in order
                script_of(language) -> "latin" | "han"
                same_class(char) -> str                        digits, or letters of case and script
    casing      case_pattern(word) -> "lower" | "upper" | "title" | "mixed" | "none"
                match_case(source, replacement) -> str; capitalize_first(word) -> str
    languages   tell(text) -> str                              code, or "" if nothing tells
                evidence(text) -> Told; main_language(found, texts) -> Main
    lexicon     STOP_WORDS: frozenset[str]; is_stop_word(word) -> bool
                zipf(word) -> float                            0.0 where unknown; 'the' is 7.7
                misspellings() -> Mapping[str, tuple[str, ...]]  by the right spelling
                listed(name) -> tuple[str, ...]                lines of data/NAME.txt: adverbs
                                                               (neutral), opening_phrases,
                                                               proverbs, last_names, organizations
                social_abbreviations() -> Mapping[str, str]    lower-case phrase -> abbreviation
                first_names(gender) -> tuple[str, ...]         gender: "female" | "male"
                countries(region=None), cities(region=None) -> tuple[str, ...]
                places(region=None) -> tuple[str, ...]         both
                place_region(name) -> str | None               one of REGIONS
                REGIONS: tuple[str, ...]; needs_the(place) -> bool
                table(name) -> tuple[tuple[str, ...], ...]     any data/NAME.tsv, raw
                frequencies() -> Mapping[str, float]           40,000 words, frequent first
    contractions  find_contractions(text) -> list[Rewrite]     "isn't" -> "is not"
                find_expansions(text) -> list[Rewrite]         "is not" -> "isn't"
                                                               Rewrite(start, end, text)
    numbers     parse_number(token) -> Number | None           "25,000" "3.5" "twelve" "2nd"
                format_number(value, like) -> str              in the manner of a Number
                number_to_words(value) -> str; ordinal_to_words(value) -> str
    gender      swap_gender(word, xpos=None) -> str | None     he<->she, her->him|his, actor<->...
                first_name_gender(name) -> "female" | "male" | None
    wordnet     antonyms(lemma, pos, *, senses=None, indirect=False) -> tuple[str, ...]
                hypernyms(lemma, pos, *, senses=None) -> tuple[str, ...]   frequent sense first
                opposites(lemma, pos) -> frozenset[str]        antonyms, indirect ones too
                exists(lemma, pos=None) -> bool
                synsets(lemma, pos) -> tuple[int, ...]; lemmas(synset) -> tuple[str, ...]
                lexname(synset) -> str                         "noun.animal"
                sense_counts(lemma, pos) -> tuple[int, ...]    how often each sense was tagged
    tagger      Tag(xpos, upos); Tagger protocol: tag_at(words, i) -> Tag, tag(words) -> list[Tag]
                default_tagger() -> Tagger                     own, light, UD English EWT
    entities    Entity(start, end, label)                      "PER" | "LOC" | "ORG"
                EntityFinder protocol: entities(text) -> list[Entity]
                default_entity_finder() -> EntityFinder        own gazetteer
    inflect     lemma(word, upos) -> str; inflect(lemma, xpos) -> str | None
                reinflect(word, upos, xpos) -> str | None      "went", "VERB", "VBZ" -> "goes"
                indefinite_article(following) -> "a" | "an"
    morphology  regular_form(lemma, xpos) -> str | None; candidate_lemmas(word, xpos) -> list[str]
    spacy_pipeline  load_spacy() -> SpacyPipeline              both protocols; extra "nlp"
                SpacyPipeline.annotate(texts) -> list[Annotation]
"""

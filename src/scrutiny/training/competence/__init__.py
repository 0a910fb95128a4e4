"""Competence of small masked language models, measured on held-out text.

::

    record      measure(folder, held_out, baselines, *, pairs, settings, device) -> the record; FILE
                write_records(prepared, folders, held_out): the files of a whole family
    likelihood  baselines_of(corpus, vocabulary) -> Baselines(fivegram, unigram)
    ngram       KneserNey.train(pieces, documents, order=5, vocabulary=V), .log_probabilities(...)
    passages    passages_of(corpus, length), segment_pairs(corpus, *, length, n, seed)
    masked      MaskedModel(folder): log probabilities of hidden pieces, next sentence
                read_pairs() -> the minimal pairs of our own writing
"""

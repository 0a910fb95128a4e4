"""What a small masked language model can do, measured on text that it was not trained on.

::

    record      measure(checkpoint, held_out, fivegram, pairs) -> the record; FILE, GATES
    family      write_records(prepared, folders, held_out): the files of a whole family
    ngram       KneserNey.train(pieces, documents, order=5, vocabulary=V), .log_probabilities(...)
    passages    passages_of(corpus, length), pairs_of(corpus, length, seed)
    masked      MaskedModel(folder): masked accuracy, pseudo-log-likelihoods, next sentence
    agreement   read_pairs() -> the minimal pairs of our own writing
"""

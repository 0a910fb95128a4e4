"""Datasets: data strings, readers, labels, overlap.

::

    dataset     load_dataset(source, *, task=None, limit=None, on_bad_row="skip", name=None,
                             columns=None) -> Dataset
                Dataset(name, source, task, examples, labels, label_map, bad_rows, fingerprint,
                        notes, columns, data_string, warnings, doubts); .with_labels(LabelMatch)
    reading     open_data(source, *, task, on_bad_row, columns) -> Reading      streaming
                iter_examples(source, *, task, limit, on_bad_row, columns) -> Iterator[Example]
                parse_limit(limit) -> (start, stop)
    columns     resolve_columns(source, table, *, task) -> Columns(task, roles, guessed, constants)
    languages   Languages().given(pairs) -> the items, each with its language; .counts, .note
    doubts      BadRow(source, reason), left_out(bad_rows); Doubts.add(what, place), .said()
    source      parse_source(text) -> DataSource(scheme, target, options); OPTIONS
                known_options(scheme) -> {option: meaning}, those of tasks and readers among them
    permuting   permutation_seed(source, task), permuted(task, examples, *, seed) -> examples
    labels      LabelMatch(mapping, rule), .digest, .note
                LabelMatch.between(data_labels, model_labels, *, explicit_map, renamed)
                parse_label_map(text) -> {data label: model label}; sort_labels(labels)
                write_label_map(mapping), which parse_label_map reads back
    readers.options  takes(**options): decorator that declares a reader's options
    bleached    WordIndex(words).find(sentence) -> FoundWord(word, start, end) | None
    overlap     overlap(a_texts, b_texts, *, near=0.8) -> OverlapReport
                overlap_with_hashes(texts, hashes) -> OverlapReport
    summary     summarize(dataset) -> DataSummary
"""

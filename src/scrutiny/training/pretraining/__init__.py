"""Pre-training of small BERTs (masked words, next sentence) from plain text, resumable by step.

::

    recipe      PretrainingRecipe, Phase, read_recipe(path), recipe_from(values)
    run         prepare(paths, recipe, *, tokenizer=None) -> Prepared
                pretrain(job, out, *, device, on_log, should_stop) -> folder, or None if stopped
    job         PretrainingJob(prepared, seeds, checkpoints, precision, teacher, stated),
                Seeds(init, data)
                Teacher(folder, name, weight, temperature): the student's objective
    batches     Batches(corpus, recipe, seed).at(step): a pure function
    network     new_network, PretrainingForward: a fast forward pass over a `BertForPreTraining`
    writing     RECORD, write_pretraining_hashes
"""

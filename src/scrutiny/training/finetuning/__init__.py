"""Fine-tuning of encoders on a task with labels, several seeds at a time.

::

    recipe        Recipe(epochs, batch, lr, ..., augment, augment_share); rate_for(recipe, size)
    base          bases_of(source, *, random=(), seeds=()) -> tuple[Base, ...]
    parts         load_parts(data, recipe, *, dev="", task="", reported=()) -> Parts
    job           Job(bases, parts, recipe, seeds): .runs, .pattern, .random, .key, .sizes
    runs          finetune(job, out, *, device="auto", telling=None) -> list[Finished]
                  is_done(job, out) -> bool
    stand_in      write_stand_ins(job, out, *, device="auto") -> seconds
    writing       RECORD ("training.json"), HASHES ("training_hashes.npy")
"""

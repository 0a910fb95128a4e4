"""Fine-tuning of encoders on a task with labels, several seeds at a time.

::

    recipe        Recipe(epochs, batch, lr, ..., augment, augment_share), .for_size(parameters)
    base          bases_of(source, *, random=(), seeds=()) -> tuple[Base, ...]
    parts         load_parts(data, recipe, *, dev="", task="", reported=()) -> Parts
    job           Job(bases, parts, recipe, seeds), .runs, .pattern, .random, .key
    runs          finetune(job, out, *, device="auto", telling=None) -> list[Finished]
    stand_in      stand_ins(job, out) -> None; time_of(job) -> seconds
"""

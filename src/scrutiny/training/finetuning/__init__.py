"""Fine-tuning of encoders on labeled tasks, several seeds at a time.

::

    recipe        FinetuningRecipe(epochs, batch, lr, ..., augment, augment_share);
                  rate_for(recipe, size)
    base          bases_of(source, *, random=(), seeds=()) -> tuple[Base, ...]
    parts         load_parts(data, recipe, *, dev="", task="", reported=()) -> Parts
    job           FinetuningJob(bases, parts, recipe, seeds): .runs, .pattern, .random, .key, .sizes
    trainer       FINETUNE.train(job, folder, *, device="auto", progress=SILENT) -> list[Finished]
                  FINETUNE.stand_in(job, folder, *, device="auto") -> seconds
    one_run       Training(job, run, ...).run(); target_of(parts, run): what a run learns
    writing       card_of(record)

Tasks that label every piece of annotated sentences (the annotation, a control task, mixtures)
are in ``anchored``::

    task_gradient   TASKS, piece_task(name) -> PieceTask | None; Learned
                    AnchoredFrame, anchored_frame(example, markers), relation_frame(example)
    recipe          PieceRecipe, AnchoredRecipe(markers), ControlRecipe(types, label_seed,
                    true_share)
    parts           piece_parts(task, recipe, *, data, dev=None, reported=()) -> Parts
    target          PieceTarget: labels of pieces
    control_labels  ControlLabels(seed, rate, true_share): .of_type(kind), .keeps_truth(frame)
    skill           skill_record(target, encoded, rows): competence.json, gate ``task_skill``
"""

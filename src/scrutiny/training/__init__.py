"""Training: pre-training, fine-tuning and small classifiers, several seeds at a time.

::

    trainer       Trainer, TrainingNode: what ``[[train]]`` of a plan names
    job           TrainingJob: runs of one recipe over bases and seeds; OneRun
    runs          train_runs(job, out, train, *, progress), write_stand_ins(job, out, write)
    model_folder  held(folder), write_model(folder, write, ...), read_record(folder, identity)
    timing        seconds_of_training(steps, ...)
"""

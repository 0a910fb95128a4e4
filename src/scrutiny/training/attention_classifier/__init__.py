"""Classifiers with one layer of attention, trained from fresh weights with several seeds.

::

    recipe        Recipe(architecture, epochs, batch, lr, ...)
    family        train_family(data, out, *, recipe, seeds, dev="", reported=()) -> list[Trained]
    __main__      python -m scrutiny.training.attention_classifier --data ... --out ...
"""

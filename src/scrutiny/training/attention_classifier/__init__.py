"""Classifiers with one attention layer, trained from scratch with several seeds.

::

    recipe        AttentionRecipe(architecture, epochs, batch, lr, ...)
                  train_family(data, out, *, recipe, seeds, dev="", reported=()) -> list[Member]
                  ATTENTION_CLASSIFIER: as nodes ``[[train]]`` of plans name it
    __main__      python -m scrutiny.training.attention_classifier --data ... --out ...

Steps, epochs and folders are those of `scrutiny.training.words`.
"""

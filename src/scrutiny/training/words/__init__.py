"""Small classifiers over words, trained from nothing with several seeds.

::

    recurrent   RecurrentRecipe(architecture, epochs, ...).fit(parts, seed=...) -> Trained
    linear      LinearRecipe(penalty, draw, ...).fit(parts, seed=...) -> Trained
    family      train_words(data, out, *, recipe, seeds, dev="", reported=()) -> list[Member]

``scrutiny train recurrent`` and ``scrutiny train linear`` are the same from the command line.
"""

"""Small classifiers over words, trained from scratch with several seeds.

::

    word_recipe     WordRecipe: base class of a kind of classifier; Trained
    linear          LinearRecipe(draw, strength, ...)
    network_recipe  RecurrentRecipe(architecture, epochs, ...); choices of small networks
    attention_recipe  AttentionRecipe(architecture, epochs, ...)
    job             WordJob(parts, recipe, seeds): .key, .sizes
                    train_words(data, out, *, recipe, seeds, dev="", reported=()) -> list[Finished]
    trainer         WordTrainer, ATTENTION, LINEAR, RECURRENT: as ``[[train]]`` of plans names them

Networks share ``network_recipe`` (choices, fit, stand-in), ``epochs`` (steps, the best epoch) and
``word_recipe`` (texts as numbers). ``scrutiny train attention``, ``linear`` and ``recurrent`` are
the same from the command line.
"""

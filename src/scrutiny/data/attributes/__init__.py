"""Attributes: properties of an item, computed from its texts or from its training set.

::

    attribute   the type `Attribute`; values of one text field or of all
    texts       attributes of the texts: negated, question, gender, length ...
    training    attributes that need a training set: in_training, unseen_words ...
"""

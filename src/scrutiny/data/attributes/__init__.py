"""Attributes: what a plain look at an item tells of it, and what its training set adds.

::

    attribute   what an attribute is; values of one text field or of all
    texts       what stands in the texts: negated, question, gender, length ...
    training    what the training set knows of an item: in_training, unseen_words ...
"""

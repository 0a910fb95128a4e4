"""Texts and English words: tokens, edits, lexicons, WordNet, tags, entities, inflection.

Everything here is a pure function of its arguments and of tables that ship with the package.
Offsets are code points of the text as given. Tables load lazily, once, and are read-only.
Any string, however odd, is accepted: no function here raises on the content of a text.
"""

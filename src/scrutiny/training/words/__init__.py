"""Small classifiers and parsers over words, trained from nothing with several seeds.

``scrutiny train attention``, ``linear`` and ``recurrent`` are the same from the command line.
"""

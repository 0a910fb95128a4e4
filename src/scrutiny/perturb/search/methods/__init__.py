"""Search methods: which texts to ask about next.

Ties are broken by the order of proposal everywhere, and random numbers are those of streams named
after method and item: the same search gives the same texts anywhere.
"""

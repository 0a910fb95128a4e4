"""Executing tasks: in this process, in workers, on Ray; the same blocks of results."""

"""Logs of other tools, read into run folders."""

"""Recurrent cells: what their gates and states follow in a text, and how often gates are shut."""

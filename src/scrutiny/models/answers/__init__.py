"""Answers of models of any kind: how they are asked for, read and checked."""

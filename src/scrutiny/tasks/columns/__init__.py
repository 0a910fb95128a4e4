"""Columns of tasks: roles, the cells of a row, and the base of tasks declared by columns."""

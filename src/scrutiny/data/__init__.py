"""Datasets: data strings, readers of files, labels, slices, overlap of texts.

``load_dataset`` (`dataset`) reads all of a data string into memory, ``open_data`` (`opening`) opens
it to be iterated once. Readers are in `readers`; what a data string may say is in `source`.
"""

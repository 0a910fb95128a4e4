"""Readers: ``read(source: DataSource) -> Table``, one file for each kind of file."""

"""Readers: ``read(source: DataSource) -> Table`` for each kind of file or corpus."""

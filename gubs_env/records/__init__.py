"""A game's life on disk: its record, recordings, Parquet files, and their readers."""

"""The verb `scrutiny models`: adding packaged ones."""

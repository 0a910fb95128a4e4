"""What `scrutiny models` does: add and quantize."""

"""The verb `scrutiny models`: adding and quantizing them."""

"""``python -m scrutiny`` is the command line."""

from scrutiny.cli import main

if __name__ == "__main__":
    main()

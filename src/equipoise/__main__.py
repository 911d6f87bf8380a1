"""``python -m equipoise`` is the command line."""

from equipoise.cli import main

if __name__ == "__main__":
    main()

"""``python -m wts_fast`` is the ``wts-fast`` command."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())

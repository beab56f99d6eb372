"""``python -m wts_fast`` is the ``wts-fast`` command."""

import sys

from .cli import main

sys.exit(main())

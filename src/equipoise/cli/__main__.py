"""``python -m equipoise.cli`` is ``equipoise``."""

from __future__ import annotations

import sys

from equipoise.cli import main

sys.exit(main())

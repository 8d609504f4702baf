"""The program's own version, where reading it costs nothing; the packaging reads it here, too."""

from __future__ import annotations

from typing import Final

VERSION: Final = "0.1.0"

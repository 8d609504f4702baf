"""The program's own version, where reading it costs nothing; the packaging reads it here, too."""

VERSION = "0.1.0"

"""Mojibake: undo the decoding of text with a wrong encoding."""

"""The commands, one module each: the only room that prints."""

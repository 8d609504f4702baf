"""The commands, one module each; nothing else prints."""

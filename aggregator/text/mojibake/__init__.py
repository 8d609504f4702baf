"""Text that was decoded with a wrong encoding, decoded again."""

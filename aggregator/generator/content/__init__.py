"""What the formats say of an item and of its show: clean, bounded, equal in all of them."""

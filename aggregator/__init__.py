"""One clean canonical feed out of many damaged, duplicated listings of the same show."""

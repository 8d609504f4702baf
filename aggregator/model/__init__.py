"""The records of a refresh, in its order: source, entry, cluster, item, feed.

Times are aware and in UTC, durations are whole seconds, ``None`` is a value that no source gave. The texts of an Entry
are as its source gave them; its notes list later changes.
"""

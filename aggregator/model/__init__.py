"""The nouns, frozen, in the order in which a refresh meets them: source, entry, cluster, item, feed.

Times are aware and in UTC; durations are whole seconds; ``None`` means that the source did not say. Text in a
Entry is what the source gave; what was changed afterwards stands in its notes.
"""

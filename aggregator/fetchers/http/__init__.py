"""HTTP: guarded connections, polite polling, robots.txt and limits for each host."""

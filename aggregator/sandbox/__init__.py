"""Tasks in child processes with limits of time and memory, and without the network where the input is foreign."""

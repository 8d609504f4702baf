"""Times: dates, durations, cron expressions, and when a show publishes."""

"""Long-running services: scheduler, workers, web server, metrics."""

"""Many Sightings become one Item."""

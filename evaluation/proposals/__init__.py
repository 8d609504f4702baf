"""Proposals for unknown pages, measured on pages made in the shapes of real blogs and podcast sites."""

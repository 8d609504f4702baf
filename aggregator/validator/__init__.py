"""Any feed held against the checklist: what is wrong, where, and which specification says so."""

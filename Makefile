# Known weaknesses of the pinned packages, asked of PyPI and OSV: needs a network and pip-audit (pipx install pip-audit).
audit:
	pip-audit --disable-pip --no-deps -r constraints.txt

# The pinned packages anew, by uv: run the tests with them before they are committed.
constraints:
	uv pip compile --quiet --upgrade --extra postgresql --no-annotate --python-version 3.11 -o constraints.txt pyproject.toml

.PHONY: audit constraints

# Known vulnerabilities of the pinned packages, from PyPI and OSV: needs a network and pip-audit (pipx install pip-audit).
audit:
	pip-audit --disable-pip --no-deps -r constraints.txt

# Update the pins with uv. Run the tests with them before committing.
constraints:
	uv pip compile --quiet --upgrade --extra postgresql --extra notify --extra scale --extra catalogue --extra s3 --no-annotate --python-version 3.11 -o constraints.txt pyproject.toml

# Coverage of merging and of text by their own tests.
coverage:
	pytest -q --no-header -r '' -m "not shared and not heavy" --cov=aggregator/merger --cov=aggregator/text --cov-branch \
	  --cov-report=term:skip-covered tests/unit/merger tests/unit/text

.PHONY: audit constraints coverage

"""How many processes a run of the tests starts."""

from types import SimpleNamespace

import pytest

from tests.conftest import pytest_xdist_auto_num_workers


@pytest.mark.parametrize(
    ("words", "workers"),
    [([__file__], False), ([f"{__file__}::test"], False), (["tests"], True), ([__file__] * 2, True)],
)
def test_a_single_file_runs_without_workers(words, workers) -> None:
    assert bool(pytest_xdist_auto_num_workers(SimpleNamespace(args=words))) is workers

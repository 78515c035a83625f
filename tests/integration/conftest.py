"""What tests of several modules begin with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.fakehub import FakeGitHub


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    """GitHub with one repository, ``acme/evals``, and one pull request, 7."""
    with FakeGitHub() as fake:
        fake.repository("acme/evals").pull(7)
        yield fake

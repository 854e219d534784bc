"""What tests of the multicore engine share."""

import pytest

from interpreting import kernels_in_python


@pytest.fixture
def interpreted():
    """Kernels are not compiled but run by Python: compiling each would take seconds."""
    with kernels_in_python():
        yield

"""The API held against its own description by requests that schemathesis makes up."""

import io
from typing import Any

import pytest

from kakehashi.serve.app import make_app
from kakehashi.serve.guard import Access
from kakehashi.serve.logs import Log
from kakehashi.serve.shelf import Shelf
from tests.serve.serving import UNHURRIED

EXAMPLES = 100  # requests per address


@pytest.mark.fuzz
def test_no_request_breaks_the_service_or_its_description(shelf: Shelf) -> None:
    """Whatever is sent, the answer is one that the description knows, and none is a failure of the service."""
    schemathesis = pytest.importorskip("schemathesis", reason="make test-fuzz installs it")
    from hypothesis import HealthCheck, given, settings
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    app = make_app(shelf, Access(), UNHURRIED, Log(io.StringIO()))
    schema = schemathesis.openapi.from_asgi("/openapi.json", app)
    n_operations = 0
    for operation in schema.get_all_operations():
        n_operations += 1
        strategy = operation.ok().as_strategy()

        @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
        @given(case=strategy)
        def fuzz(case: Any) -> None:
            if "collection" in case.path_parameters:
                case.path_parameters["collection"] = "toy"  # others are not found, whatever is asked of them
            answer = case.call()
            assert answer.status_code < 500
            # that either text or id must be given, no schema says
            case.validate_response(answer, excluded_checks=[positive_data_acceptance])

        fuzz()
    assert n_operations == 9

"""collscope.base.number: the range of each kind of number."""

from __future__ import annotations

import math

import pytest

from collscope.base.number import outside


@pytest.mark.parametrize(
    ("name", "low", "high", "says"),
    [
        ("nic_bytes_per_s", 1, 1e18, "must be 0 or 1 to 1e+18 bytes per second"),
        ("gamma_s_per_byte", 1e-18, 1, "must be 0 or 1e-18 to 1 seconds per byte"),
        ("latency_s", 1e-18, 1e3, "must be 0 or 1e-18 to 1000 seconds"),
        ("bytes_nonblocking", 1, 2**50, "must be 0 or 1 to 1.1259e+15 bytes"),
        ("eager_bytes", 1, 2**50, "must be 0 or 1 to 1.1259e+15 bytes"),
        ("copy_traffic", 1e-12, 1e6, "must be 0 or 1e-12 to 1e+06 bytes for each byte of a message"),
    ],
)
def test_each_kind_of_number_has_its_range(name: str, low: float, high: float, says: str) -> None:
    assert {outside(name, value) for value in (0, low, high)} == {""}
    assert {outside(name, value) for value in (0.99 * low, 1.01 * high, -0.5)} == {says}
    assert outside(name, -1) == ("" if says.endswith(" bytes") else says), "-1 bytes: all there are"
    assert outside(name, math.inf) == outside(name, math.nan) == "must be a finite number"


def test_a_number_of_no_kind_is_not_negative() -> None:
    assert [outside("nodes", value) for value in (0, 1e300, -1)] == ["", "", "must not be negative"]

"""Platforms by name, with other numbers, and by path."""

from __future__ import annotations

import time

import pytest

from collscope.base.errors import UsageError, UserError
from collscope.machines import find


def test_unknown_platforms_name_the_nearest() -> None:
    with pytest.raises(UsageError, match='did you mean "schooner"'):
        find.load("scooner")
    with pytest.raises(UserError, match="no such file"):
        find.load("/nowhere/x.toml")
    with pytest.raises(UsageError, match="cannot read the platform"):
        find.load("schooner[nodes=2")


def test_list_platforms() -> None:
    assert {"ideal", "schooner"} <= set(find.list_platforms())


def test_numbers_in_brackets() -> None:
    p = find.load("schooner[nodes=40,gamma_s_per_byte=5e-10]")
    assert (p.name, p.max_nodes, p.gamma_s_per_byte) == ("schooner[nodes=40,gamma_s_per_byte=5e-10]", 40, 5e-10)
    with pytest.raises(UserError, match='did you mean "gamma_s_per_byte"'):
        find.load("schooner[gamma=1]")
    with pytest.raises(UserError, match="write key=value"):
        find.load("schooner[nodes]")
    with pytest.raises(UserError, match="faster than the narrowest link"):
        find.load("schooner[nic_bytes_per_s=1e9]")


def test_ideal() -> None:
    p = find.load("ideal[alpha=2us, beta=1e-10, gamma=0, cores=4]")
    assert p.bound_parameters(3) == (2e-6, 1e-10, 0.0)
    assert (p.max_nodes, p.cores_per_node) == (256, 4)
    assert find.load("ideal").max_nodes == 1024
    assert find.load("ideal[alpha=500ns]").bound_parameters(1)[0] == 5e-7
    with pytest.raises(UsageError, match='no parameter "alfa"; did you mean "alpha"'):
        find.load("ideal[alfa=1]")
    with pytest.raises(UsageError, match="cannot read alpha"):
        find.load("ideal[alpha=1fortnight]")
    with pytest.raises(UsageError, match="beta must be more than 0"):
        find.load("ideal[beta=0]")


def test_loading_is_quick() -> None:
    find.load("ideal")  # imports
    start = time.perf_counter()
    find.load("schooner")
    assert time.perf_counter() - start < 1

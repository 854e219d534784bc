"""Window aggregation as native code."""

from __future__ import annotations

from anabranch.kernels.native.values import Unsupported


def write_window(op, item, registry, table, place):
    raise Unsupported("is a window")

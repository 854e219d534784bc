"""The JSON form: stable keys, plain values, every reason and every span."""

from __future__ import annotations

import json

from anabranch.explain import explain


def test_keys_and_values(monitor):
    data = json.loads(explain(monitor, "json"))
    assert list(data) == ["version", "summary", "operators", "regions", "joints"]
    assert data["summary"] == {"operators": 3, "parallel": 2, "regions": 1}
    assert [op["name"] for op in data["operators"]] == ["entries", "clean", "running", "total",
                                                         "alerts"]


def test_an_operator(monitor):
    running = json.loads(explain(monitor, "json"))["operators"][2]
    here = {"file": "monitor.py", "line": 7, "column": 5}
    assert running == {
        "name": "running", "kind": "map", "inputs": ["clean"], "outputs": ["running"],
        "span": here,
        "state": {"kind": "partitioned", "keys": [["uid"]], "reason": "its source shows it",
                  "declared": False, "span": here},
        "selectivity": {"low": 0, "high": 1, "reason": "one yield", "declared": True,
                        "span": here},
        "forwarding": [{"everything": False, "attributes": {"uid": "user"}, "reason": "copied",
                        "declared": False, "span": here}],
        "effects": {"pure": True, "list": [], "reason": "nothing else is touched",
                    "declared": False, "span": None},
        "ordered": {"value": True, "reason": "a sink is ordered", "declared": False,
                    "span": None},
        "region": 0, "blocks": False, "loop": False, "group": None, "sequential": None,
    }


def test_a_reason_a_region_and_a_joint(monitor):
    data = json.loads(explain(monitor, "json"))
    assert data["operators"][3]["sequential"] == {
        "reason": "one state is shared by all of its input",
        "span": {"file": "monitor.py", "line": 7, "column": 5}}
    assert data["regions"] == [{
        "index": 0, "operators": ["clean", "running"], "key": ["uid"],
        "selectivity": {"low": 0, "high": 1}, "ordering": "sequence numbers and pulses",
        "ended": "total's state is unpartitioned"}]
    assert data["joints"][0] == {
        "kind": "split", "at": "entries", "port": 0, "left": None, "right": 0,
        "routing": {"kind": "hash", "key": ["uid"]}, "ordering": "sequence numbers and pulses"}
    assert data["joints"][1]["routing"] is None

"""The facts of every operator, one fact for each module.

- `analyse`: all facts of a graph
- `state`: what an operator remembers, and by which key it falls apart
- `selectivity`, with `outputs` and `flow`: how many items one item gives
- `forwarding`, with `copies`: which attributes are passed on unchanged
- `total`: whether no item can make it fail
- `order`: whether anything can tell the order of the outputs
- `attributes`, `live_fields`: which attributes are looked at
- `declared`: facts that the program declares
"""

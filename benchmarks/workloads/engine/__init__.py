"""Inside the engines, with streams in memory: order, scaling, latency, skew.

    compiling.py        Compiling: how long a program of 200 operators takes to build and to compile
    epochs.py           Epochs and selectivity, for tuples of the same cost
    latency.py          Latency: a keyed state from end to end, at 1,000 and 100,000 rows a second
    loaded.py           Latency of a synchronized operator as more and more is offered
    order.py            What order costs: sequence numbers and pulses, against no order at all
    pipelines.py        Five pipelines: SL is stateless, PS partitioned, SF has one state
    reordering.py       The reorder buffers, without blocking and with a lock
    scaling.py          Stateless, keyed and shuffled regions with more and more workers
    scheduling.py       Which stage next? The heuristics CT, LP, ET and QST on five pipelines
    sharing.py          Variables that operators share
    skew.py             Uneven keys: the hybrid queue against a queue for each partition
    switches.py         One switch of the engine on five pipelines
    synchronization.py  Plans of workers: how they scale, what events and heartbeats cost
    work.py             What these workloads share: work of a known cost, and its contenders
"""

"""Inside the engines, with streams in memory: order, scaling, scheduling, latency, skew.

    compiling          how long a program of 200 operators takes to build and to compile
    epochs             epochs and selectivity, for tuples of the same cost
    latency            a keyed state from end to end, at 1,000 and at 100,000 rows a second
    loaded             latency of a synchronized operator as more and more is offered
    order              what order costs: sequence numbers and pulses, against no order at all
    pipelines          five pipelines: SL is stateless, PS partitioned, SF has one state
    reordering         the reorder buffers, without blocking and with a lock
    scaling            stateless, keyed and shuffled regions with more and more workers
    scheduling         the heuristics CT, LP, ET and QST on five pipelines, in simulated time
    sharing            variables that operators share
    skew               uneven keys: the hybrid queue against a queue for each partition
    switches           one switch of the engine on five pipelines
    synchronization    how plans of workers scale, and what events and heartbeats cost
    work               what these workloads share: work of a known cost, and its contenders
"""

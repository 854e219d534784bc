"""What runs a StreamIt program: in blocks by workers, on demand, or by item.

What generated text calls is defined twice: in plain Python, which is what it means, and compiled.

    arithmetic.py  Random numbers and functions of complex numbers: every tier has the same bits
    blocks.py      A whole program in blocks: machines and filters on arrays, by several workers
    compiled.py    What generated text calls in compiled loops: operations on machine numbers
    demand.py      A whole program item by item, each filter firing when somebody needs it
    items.py       What the graph's operators do with items: filters, splitters and joiners
    plain.py       What generated text calls in plain Python: this is what StreamIt means
    printing.py    What filters print: from what compiled code recorded to text, in order
    program.py     When a program runs in blocks, which pieces it has, and what `explain` says of it
    stations.py    Actors at work on blocks, and the workers that take blocks through them in order
    machine/       Several actors as one machine: compiled code that fires them while they can
"""

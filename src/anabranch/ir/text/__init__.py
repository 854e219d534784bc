"""The `.river` language: Brooklet's topology language with River's annotations.

    output result;
    input bids : Quote time ts, asks : Quote time ts;     // merged by ts
    (ibmBids) <- SelectIBM(bids);
    ($lastAsk) <- Window(asks);                           /* writes a variable, no queue */
    @Keys(symbol) @Parallel()
    (sales : Sale, $cnt) <- Count(ibmBids, $cnt) as counter;

The statements stand in the order of the graph's operators; an output that is declared before its
queue is written takes its place at the end. `from` and `to` bind an input or an output to a named
source or sink. An operator is called after its function if that is a plain function, else after
its first output; an input or output after its queue; `as` gives another name. Names with other
characters than letters, digits and `_.@` stand in backquotes.

>>> def Double(item, port):
...     return [[item * 2]], []
>>> graph = parse("input a : int; (b : int) <- Double(a); output b;", {"Double": Double})
>>> print(show(graph), end="")
input a : int;
(b : int) <- Double(a);
output b;
>>> parse(show(graph), functions_of(graph)) == graph
True

    lower.py   From clauses to a graph: names looked up, queues and variables gathered, order kept
    names.py   What the names in a `.river` text mean, and which names a graph's text needs
    show.py    From a graph to its `.river` text, from which `parse` makes the same graph again
    syntax.py  From `.river` text to clauses: what is written and where, nothing looked up yet
"""

from anabranch.ir.text.lower import parse
from anabranch.ir.text.names import functions_of
from anabranch.ir.text.show import show

__all__ = ["functions_of", "parse", "show"]

"""Names of machine code that no other process gives to other code.

Numba names what it compiles by the module, the function, the types of the arguments, and a number
that each process counts from one on; a type of records has only such a number itself. So what two
processes have saved may have one name for code of two kinds, and who loads both runs one of them
for the other: with records of another size it writes behind the end of its arrays. Here the number
is drawn by chance, also by a process that was forked.
"""

from __future__ import annotations

from functools import partial
from secrets import randbits

from numba.core.bytecode import FunctionIdentity

FunctionIdentity._unique_ids = iter(partial(randbits, 62), None)

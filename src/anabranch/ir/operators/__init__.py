"""The core operators; everything else in the API is composed of these.

Windows, joins and fused operators have files of their own beside this package.
"""

from anabranch.ir.operators.ends import Sink, SinkSpec, Source, SourceSpec
from anabranch.ir.operators.keyed import WHOLE_ITEM, Apply, Keyed, attributes_of, key_function
from anabranch.ir.operators.kind import Cell, Fire, Kind, Output
from anabranch.ir.operators.routine import Modelled, Routine
from anabranch.ir.operators.several import Barrier, Union
from anabranch.ir.operators.stateless import Filter, FlatMap, Map, PerItem, Split

__all__ = [
    "WHOLE_ITEM", "Apply", "Barrier", "Cell", "Filter", "Fire", "FlatMap", "Keyed", "Kind", "Map",
    "Modelled", "Output", "PerItem", "Routine", "Sink", "SinkSpec", "Source", "SourceSpec",
    "Split", "Union", "attributes_of", "key_function",
]

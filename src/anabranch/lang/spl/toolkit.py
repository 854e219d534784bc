"""The operators that programs know, by name."""

from __future__ import annotations

from anabranch.lang.spl.building import Model
from anabranch.lang.spl.operators import ends, relational

TOOLKIT: dict[str, Model] = {model.name: model for module in (relational, ends)
                             for model in module.MODELS}

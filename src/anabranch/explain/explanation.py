"""An explanation as an object: text where there is text, a picture where there are pictures."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

from anabranch.explain.summary import summary
from anabranch.plan import Plan

_numbers = count()


@dataclass(frozen=True, repr=False)
class Explanation:
    """What `Stream.explain` gives: a notebook shows it as a picture."""

    plan: Plan

    def __repr__(self) -> str:
        return f"<Explanation: {summary(self.plan)}>"

    def _repr_html_(self) -> str:
        """Every picture of a notebook has identifiers of its own."""
        from anabranch.explain.picture.html import fragment

        return fragment(self.plan, f"anabranch-{next(_numbers)}")

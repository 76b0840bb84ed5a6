"""Measures, significance, cross-validation and plots; called, the package measures a run.

`import kakehashi as kk; kk.evaluate(qrels, run, "MAP")` finds a function as long as nothing in here was imported, and
this package afterwards: Python binds it to the same name. So both answer alike.
"""

import sys
from types import ModuleType
from typing import Any


class _Called(ModuleType):
    def __call__(self, *given: Any, **options: Any) -> Any:
        from kakehashi.evaluate.scores import evaluate_named

        return evaluate_named(*given, **options)


sys.modules[__name__].__class__ = _Called

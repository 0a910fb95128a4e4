"""Diagnose language models, and say how far each diagnosis can be trusted.

::

    import scrutiny

    run = scrutiny.run("robustness", model=my_pipeline, data=frame, seed=0)
    run.estimate("drop(accuracy)").high
    run.report("report.html")

Authors of plug-ins build on `scrutiny.plugin` and check with `scrutiny.testing`. Everything
else is private: modules may move without notice, versioned names never change meaning.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrutiny._api import Plan, audit, errors, list, load, run, show
    from scrutiny._assertions import assert_holds, assert_no_loss
    from scrutiny._comparison import compare
    from scrutiny._results import Run
    from scrutiny._suite_tests import assert_suite

__all__ = [
    "Plan",
    "Run",
    "assert_holds",
    "assert_no_loss",
    "assert_suite",
    "audit",
    "compare",
    "errors",
    "list",
    "load",
    "run",
    "show",
]
#: Modules of the names that do not stand in `scrutiny._api`.
_ELSEWHERE = {
    "Run": "scrutiny._results",
    "assert_holds": "scrutiny._assertions",
    "assert_no_loss": "scrutiny._assertions",
    "assert_suite": "scrutiny._suite_tests",
    "compare": "scrutiny._comparison",
}


class _Package(ModuleType):
    """Package module whose ``run`` remains the public function, not the subpackage.

    The import system binds a subpackage to its parent once it is loaded, so the folder ``run``
    would take the place of the function with the first ``from scrutiny.run.driver import ...``.
    """

    @property
    def run(self) -> Any:
        return import_module("scrutiny._api").run

    @run.setter
    def run(self, subpackage: ModuleType) -> None:
        """Leave the subpackage to ``sys.modules``, where imports find it."""


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    """Public names, imported on first access."""
    if name in __all__:
        return getattr(import_module(_ELSEWHERE.get(name, "scrutiny._api")), name)
    raise AttributeError(f"module 'scrutiny' has no attribute {name!r}")


def __dir__() -> "list[str]":  # type: ignore[valid-type]
    """Public names."""
    return __all__

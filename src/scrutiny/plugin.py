"""Public face for plug-in authors: everything that a plug-in needs to import.

::

    Diagnostic, ChangesTexts      what is asked and recorded: Cell, Batch, Context, Design, Inputs,
                                  EstimateSpec, ContrastSpec, Selector, Row, Measure, Failure
    Claim, Component              what is claimed of the numbers
    Additive, Weighted            a metric of a function (over_rows, with_count, Parametric), or of
                                  a class: AdditiveStatistic, WeightedStatistic, RefitStatistic
    Expectation                   what the answer to a case of a suite should be, with Asked, Seen
    Transformation                edits at sites of a document; AsksAhead, ChangesAtOnce, SetsGold
    keeps_label                   a function from text to text whose changes keep the answer
    Constraint                    a veto on edits
    Goal, Method, Attack          what a search wants, how it goes about it, and both together
    Task, ByColumns               with Classification, ExchangesLabels; a Role for each column:
                                  TEXT, TEXT_PAIR, LABEL, WORDS, or your own (text_role, list_role)
    DataSource, Table, RawRow     what a reader gets and gives, with takes (its options),
                                  reader_defaults (its task) and lines (of a file)
    attribute                     what slices go by, with words_of
    Model, Adapter                who is asked, and who makes it of a model string (PlainModel is
                                  the least that can be asked)
    load_model, load_dataset,     what strings and names stand for, and a changed text: for tests
    load_task, perturb
    facts                         of tasks: what diagnostics and transformations want
    language, attention,          modules of what is asked beyond predict: queries and answers
    gradients
    Trainer                       what a plan trains with: TrainingNode, TrainingJob
    ReportPart, Part              what the page shows: Chart, Line, forest_table, of a RunView
    Registration                  a line of the registry
    errors                        what to raise

Names here stay, and what they mean stays. `scrutiny.testing` has the checks of conformance.
"""

from scrutiny.blocks.charts import Chart
from scrutiny.blocks.forest import Line, forest_table
from scrutiny.blocks.labels import full_labels
from scrutiny.blocks.run_estimates import main_estimates
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import Chapter, Part, ReportPart
from scrutiny.core import errors, facts
from scrutiny.core.answers.words import Words
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs, Selector
from scrutiny.core.diagnostic import Batch, Cell, ChangesTexts, Context, Diagnostic, Failure
from scrutiny.core.edit import Edit, Piece, Variant
from scrutiny.core.example import Example, Span
from scrutiny.core.expectation import Asked, Expectation, Seen
from scrutiny.core.model import LoadOptions, Model, PlainModel
from scrutiny.core.queries import attention, gradients, language
from scrutiny.core.record import Measure, Row
from scrutiny.core.registry import Registration
from scrutiny.core.statistic import AdditiveStatistic, RefitStatistic, WeightedStatistic
from scrutiny.core.task import ExchangesLabels, Prediction, Role, Score, Task
from scrutiny.core.transformation import (
    AsksAhead,
    ChangesAtOnce,
    Constraint,
    Document,
    Effect,
    Intensity,
    SetsGold,
    Site,
    Transformation,
)
from scrutiny.data.attribute import attribute, words_of
from scrutiny.data.dataset import load_dataset
from scrutiny.data.readers.files import lines
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, reader_defaults, takes
from scrutiny.models.strings.adapters import Adapter
from scrutiny.models.strings.model_loading import load_model
from scrutiny.models.strings.model_strings import ModelSource
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.perturb.engine.rewrite import keeps_label
from scrutiny.perturb.recipes.attack import Attack
from scrutiny.perturb.search.judging import Goal
from scrutiny.perturb.search.problem import Method
from scrutiny.reliability.metrics import Parametric
from scrutiny.reliability.row_statistics import Additive, Weighted, over_rows, with_count
from scrutiny.report.load import load_view
from scrutiny.tasks.classification import Classification
from scrutiny.tasks.tasks import (
    LABEL,
    TEXT,
    TEXT_PAIR,
    WORDS,
    ByColumns,
    list_role,
    load_task,
    text_role,
)
from scrutiny.text.edits import apply_edits, apply_to_text
from scrutiny.training.job import TrainingJob
from scrutiny.training.trainer import Trainer, TrainingNode

__all__ = [
    "LABEL",
    "TEXT",
    "TEXT_PAIR",
    "WORDS",
    "Adapter",
    "Additive",
    "AdditiveStatistic",
    "Asked",
    "AsksAhead",
    "Attack",
    "Batch",
    "ByColumns",
    "Cell",
    "ChangesAtOnce",
    "ChangesTexts",
    "Chapter",
    "Chart",
    "Claim",
    "Classification",
    "Component",
    "Constraint",
    "Context",
    "ContrastSpec",
    "DataSource",
    "Design",
    "Diagnostic",
    "Document",
    "Edit",
    "Effect",
    "EstimateSpec",
    "Example",
    "ExchangesLabels",
    "Expectation",
    "Failure",
    "Goal",
    "Inputs",
    "Intensity",
    "Line",
    "LoadOptions",
    "Measure",
    "Method",
    "Model",
    "ModelSource",
    "Parametric",
    "Part",
    "Piece",
    "PlainModel",
    "Prediction",
    "RawRow",
    "RefitStatistic",
    "Registration",
    "ReportPart",
    "Role",
    "Row",
    "RunView",
    "Score",
    "Seen",
    "Selector",
    "SetsGold",
    "Site",
    "Span",
    "Table",
    "Task",
    "TextDocument",
    "Trainer",
    "TrainingJob",
    "TrainingNode",
    "Transformation",
    "Variant",
    "Weighted",
    "WeightedStatistic",
    "Words",
    "apply_edits",
    "apply_to_text",
    "attention",
    "attribute",
    "errors",
    "facts",
    "forest_table",
    "full_labels",
    "gradients",
    "keeps_label",
    "language",
    "lines",
    "list_role",
    "load_dataset",
    "load_model",
    "load_task",
    "load_view",
    "main_estimates",
    "over_rows",
    "perturb",
    "reader_defaults",
    "takes",
    "text_role",
    "with_count",
    "words_of",
]

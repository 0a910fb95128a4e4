"""Tasks: kinds of question, one folder each.

::

    names           load_task(name) -> Task; every_task()
    columns.roles   roles that several tasks have (`scrutiny.core.task.Role`); text_role, list_role,
                    role_options()
    columns.by_columns    ByColumns: base class of tasks, which are read by the columns they state
    columns.tags    chunks(tags), spans_of(tags, borders), to_bio(tokens, spans),
                    token_borders(tokens)
    classification.classes    Classification(ByColumns): base of classification tasks
    halves          half_of(identity) -> "A" | "B"
    held_out        is_held_out(text), sentence_place(text)
"""

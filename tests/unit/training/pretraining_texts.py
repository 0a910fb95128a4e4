"""A few sentences of our own, a vocabulary of letters, and a recipe that trains in a second."""

from scrutiny.training.pretraining.recipe import Phase, PretrainingRecipe

DOCUMENTS = [
    [
        "The cat sat on the mat. It was warm there, and the cat was glad of it.",
        "The dog came in and barked at the cat. The cat ran away. Nobody was glad of that.",
    ],
    [
        "A ship went out to sea. The captain was old. His men were young, and they sang.",
        "They came home in spring. The town was quiet. The captain went to bed and slept.",
    ],
    ["The king had two sons. One was tall and one was small. Both of them were good sons."],
    ["One sentence stands alone here."],
    ["Another sentence stands alone there."],
]

SMALL = PretrainingRecipe(
    layers=1,
    hidden=16,
    heads=2,
    feed_forward=32,
    positions=24,
    vocabulary=70,
    steps=20,
    phases=(Phase(0.5, 16, 4), Phase(1.0, 24, 3)),
    single_share=0.3,
)


def write_texts(folder, documents=DOCUMENTS):
    path = folder / "texts.txt"
    path.write_text("\n\n".join("\n".join(d) for d in documents) + "\n", encoding="utf-8")
    return path

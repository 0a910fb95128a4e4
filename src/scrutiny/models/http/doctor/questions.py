"""What a doctor asks: plain texts to judge, questions with short and long answers, long texts."""

from typing import Final

#: Texts as users have them, of which some label should be told.
TEXTS: Final = (
    "A warm, funny and moving film. I could watch it every week.",
    "Two hours of my life that nobody will give back to me.",
    "The actors do what they can, but the story leads nowhere.",
    "Wonderful music, and a last scene that I won't forget.",
    "The room was dirty, and nobody answered the phone.",
    "It does what it promises, and the price is fair.",
    "The battery died after a week. I want my money back.",
    "Our guide knew every stone and told great stories.",
    "The soup was cold, the waiter colder.",
    "I expected little and got one of the best books of the year.",
    "It broke on the first day.",
    "Fast delivery, friendly people, and everything fits.",
    "The plot has holes that a bus could drive through.",
    "A quiet, clever play with a brave ending.",
    "I fell asleep before the end of the first act.",
)
#: Questions whose answers are a word or two, then those of longer answers.
SHORT: Final = (
    "What is the capital of France? Answer with one word.",
    "Which color does fresh snow have? Answer with one word.",
    "How many legs does a spider have? Answer with a number.",
)
LONG: Final = (
    "Describe the sea in two sentences.",
    "Explain to a child why the sky is blue.",
    "Write two sentences about a train that is late.",
)
#: Questions whose first words tell models apart.
TELLING: Final = (
    "Name an animal that lives in the forest.",
    "Complete the sentence: Once upon a time",
    "What should I cook tonight?",
    "Give me one reason to learn a language.",
    "Which month is the best one for a journey to Japan?",
    "Write the first line of a poem about rain.",
    "Who wrote Faust?",
    "Translate into French: The cat sleeps on the chair.",
    "What is 17 times 6?",
    "Name a tool that carpenters use.",
    "Is a tomato a fruit? Explain in one sentence.",
    "Suggest a name for a small gray dog.",
    "What do bees do in winter?",
    "Give an antonym of 'brave'.",
    "How does one greet people in Spain?",
    "Name a famous bridge.",
    "What is a good present for a child of seven?",
    "Say something kind.",
    "Which is heavier, a kilogram of iron or of feathers?",
    "Finish this list: apples, pears,",
    "Tell me a fact about the moon.",
    "What rhymes with 'light'?",
    "Why do people dream?",
    "Name a river in Africa.",
    "Write a short message to a neighbor who is ill.",
    "What does a lighthouse do?",
    "Which instrument has six strings?",
    "Give me a word with three syllables.",
    "How is paper made?",
    "What is the opposite of north?",
)
#: A system prompt that no answer can miss, and its mark.
MARK: Final = "zebra"
SYSTEM: Final = (
    f"Whatever the user says, answer with the single word {MARK} and nothing else. Never answer "
    "the question."
)
#: Words of the long texts, the shortest first.
LENGTHS: Final = (150, 450, 1350)
CODES: Final = ("4817", "2956")
_FILLER: Final = (
    "The ferry left the harbor at {0} and reached island number {1} in the afternoon.",
    "Keeper {1} wrote down that {0} boats had passed, most of them small ones.",
    "On day {0} the wind turned, and {1} gulls sat on the roof of the old station.",
)


def long_text(words: int, *, first: str, last: str) -> str:
    """Text of about so many words with a code at its beginning and one at its end.

    Examples
    --------
    >>> text = long_text(150, first="11", last="22")
    >>> 150 <= len(text.split()) < 200, text[:21]
    (True, 'The first code is 11.')
    """
    lines: list[str] = []
    count = 0
    while count < words:
        number = len(lines)
        lines.append(_FILLER[number % len(_FILLER)].format(number + 2, 7 * number % 97 + 3))
        count += len(lines[-1].split())
    return (
        f"The first code is {first}. {' '.join(lines)} The last code is {last}.\n\n"
        "What are the first code and the last code? Answer with the two numbers."
    )

"""Literals: what stands in a text letter by letter."""

import pytest

from scrutiny.text.literals import find_literals, tokens_with
from scrutiny.text.tokens import token_spans

FOUND = {
    "5 &gt; 3 and &#39;x&#x27; &nbsp;": ["&gt;", "&#39;x&#x27;", "&nbsp;"],
    "C&amp;A and caf&eacute;, I &lt;3 you": ["C&amp;A", "caf&eacute;", "&lt;3"],
    "call &lt;#&gt; now": ["&lt;#&gt;"],
    'a <b>bold</b> <a href="x.html" id=q>link</a><br/>': [
        "<b>",
        "</b>",
        '<a href="x.html" id=q>',
        "</a><br/>",
    ],
    "run `print(value)` or ```python\nreturn good\n``` now": [
        "`print(value)`",
        "```python\nreturn good\n```",
    ],
    "foo_bar.baz(qux) and os.path.join(a) and main() and snake_case.": [
        "foo_bar.baz(qux)",
        "os.path.join(a)",
        "main()",
        "snake_case",
    ],
    "user_name@host:~/path/to/file.txt is good": ["user_name@host:~/path/to/file.txt"],
    "in ~/notes, /usr/lib/x, ./run, C:\\Users\\kim and data/set.csv.": [
        "~/notes",
        "/usr/lib/x",
        "./run",
        "C:\\Users\\kim",
        "data/set.csv",
    ],
    "see https://example.org/?, www.a.com/b. Or Example.COM": [
        "https://example.org/?",
        "www.a.com/b",
        "Example.COM",
    ],
    "mail kim.lee@mail.example.org, @kim or #fun": ["kim.lee@mail.example.org", "@kim", "#fun"],
    "$x^2 + y_1 = \\frac{1}{2}$ and \\emph{well} \\(a\\)": [
        "$x^2 + y_1 = \\frac{1}{2}$",
        "\\emph{well}",
        "\\(a\\)",
    ],
    'He said \\n that it\\\'s good \\"very\\" \\u00e9': ["\\n", "it\\'s", '\\"very\\"', "\\u00e9"],
    "Call +1 (555) 010-9999 or 555-010-9999 now": ["+1 (555) 010-9999", "555-010-9999"],
    "s3://bucket/good/key.csv, git+ssh://a.org/b, user:pass@host.com or 10.1000/x1.": [
        "s3://bucket/good/key.csv",
        "git+ssh://a.org/b",
        "user:pass@host.com",
        "10.1000/x1",
    ],
    "Canada #39;s #36;10 loan, \\U0001F600": ["#39;s", "#36;10", "\\U0001F600"],
    '&lt;FONT face="Times,serif" size="-2"&gt;-paper.com&lt;/FONT&gt;': [
        '&lt;FONT face="Times,serif" size="-2"&gt;',
        "paper.com&lt;/FONT&gt;",
    ],
    'Fill in {"name": "", "of": {"n": 1, "in": {}}}, or ["a b", "c"] please': [
        '{"name": "", "of": {"n": 1, "in": {}}}',
        '["a b", "c"]',
    ],
    "Dear {name}, {{ first }} %(x)s ${HOME}": ["{name}", "{{ first }}", "%(x)s", "${HOME}"],
}
NONE = (
    "He and/or she paid $5 or $6_ at 10 p.m., i.e. 'late'.",
    "`` Titanic '' is ` fun ' and `` long '' .",
    "a<b and c>d, AT&T & co; R&D; 24/7; 1/2 cup",
    "He saw it.In the end.Then no. Is it.so? word(s) *good* _good_",
    "see you @ 7, he is #1, no / yes, 3.5 and 1,000-2,000 in 1999-2004",
    "You have won 100 pounds (50 each).",
    "At 10:30, score 10.5/20; he is #1; note: see p. 10",
    "Washington D.C is A.C or A.F.C there",
)


@pytest.mark.parametrize("text", FOUND)
def test_literals_are_found(text):
    assert [text[start:end] for start, end in find_literals(text)] == FOUND[text]


@pytest.mark.parametrize("literal", [one for found in FOUND.values() for one in found])
def test_the_quick_look_misses_none(literal):
    assert find_literals(f"so {literal} it is")


@pytest.mark.parametrize("text", NONE)
def test_ordinary_text_has_none(text):
    assert [text[start:end] for start, end in find_literals(text)] == []


@pytest.mark.parametrize("text", FOUND)
def test_each_is_one_token_and_all_text_is_covered(text):
    literals = find_literals(text)
    tokens = tokens_with(literals, text)
    assert set(literals) <= set(tokens)
    assert sorted(tokens) == tokens
    covered = {place for start, end in tokens for place in range(start, end)}
    assert covered >= {place for place, char in enumerate(text) if not char.isspace()}
    assert sum(end - start for start, end in tokens) == len(covered)


@pytest.mark.parametrize("text", NONE)
def test_tokens_of_other_text_are_as_they_were(text):
    assert tokens_with(find_literals(text), text) == token_spans(text)


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "a_",
        "a.",
        "a-",
        "&",
        "<a ",
        "`",
        "$",
        "\\(",
        "<!--",
        "/a",
        "@",
        "(",
        '{"a":',
        '{"a":{}',
        '["a",',
        '["a',
        '{"',
        '{"a":x}{"',
    ],
)
def test_long_texts_of_one_piece_are_read_in_steps_that_grow_with_them(piece):
    assert isinstance(find_literals(piece * 10_000), tuple)

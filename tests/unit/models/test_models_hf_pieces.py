from scrutiny.models.hf.word_pieces import first_pieces


def test_first_pieces_with_a_space_in_front():
    words = [(0, 3), (4, 8), (9, 10)]
    offsets = [(0, 0), (0, 3), (3, 6), (6, 8), (0, 0)]
    assert first_pieces(words, offsets) == [1, 2, None]

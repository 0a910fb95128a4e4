from scrutiny.models.answers.isolation import message_of, shown_value


class Mute(Exception):
    def __init__(self, why=ValueError):
        self.why = why

    def __str__(self):
        raise self.why("no words")

    __repr__ = __str__


def test_a_message_is_had_of_any_error():
    assert message_of(ValueError("wrong")) == "ValueError: wrong"
    assert message_of(Mute()) == "Mute: its message cannot be had"
    assert message_of(Mute(KeyboardInterrupt)) == "Mute: its message cannot be had"
    assert (shown_value("x" * 9, 3), shown_value(Mute(KeyboardInterrupt), 3)) == ("'xx", "a Mute")

from kakehashi.corpus.debian.descriptions import Description, pair_up, parse_description


def test_a_description_has_synopsis_paragraphs_and_items() -> None:
    lines = ["small lamp", " It gives", " light.", " .", " It can:", "  * shine", "    brightly", "  * blink"]
    value = "\n".join([*lines, " .", " 1. first", " 2) second"])
    assert parse_description(value) == Description(
        "small lamp",
        (("It gives light.",), ("It can:", "shine brightly", "blink"), ("first", "second")),
    )


def test_japanese_lines_join_without_a_space() -> None:
    assert parse_description("灯\n これは小さな\n 灯りです。GNOME\n 用です。").passages == [
        "これは小さな灯りです。GNOME 用です。"
    ]


def test_a_synopsis_alone_is_a_description() -> None:
    assert parse_description("lamp") == Description("lamp", ())
    assert parse_description("lamp\n .\n .").paragraphs == ()


def test_paragraphs_pair_up_in_order_and_items_where_both_have_as_many() -> None:
    here = Description("Lampe", (("Eins.",), ("Zwei", "drei"), ("vier", "fünf")))
    there = Description("lamp", (("One.",), ("Two", "three"), ("four", "five", "six")))
    assert pair_up(here, there) == [
        ("Lampe", "lamp"),
        ("Eins.", "One."),
        ("Zwei", "Two"),
        ("drei", "three"),
        ("vier fünf", "four five six"),
    ]


def test_descriptions_cut_differently_share_only_the_synopsis() -> None:
    assert pair_up(Description("Lampe", (("a",), ("b",))), Description("lamp", (("a b",),))) == [
        ("Lampe", "lamp")
    ]


def test_untranslated_paragraphs_are_no_pairs() -> None:
    assert pair_up(Description("lamp", (("Licht.",),)), Description("Lamp!", (("Light.",),))) == [
        ("Licht.", "Light.")
    ]

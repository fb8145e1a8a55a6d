"""The walkthrough in a real browser: its figures are torch's, and everyone can use it."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest
import torch
from torch import Tensor

from tests.browsers import Browser, Page, axe_trouble, chromium, expect, needs_chromium, picture, tab
from tests.variants import variants

pytestmark = needs_chromium
MILLISECONDS = 60_000
ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "solutions/l10_attention/walkthrough.html"
MADE = ("dots", "scores", "weights", "output")
OWN = ("about:", "data:")  # asks nobody
SHOWN = 0.5e-4 + 1e-9  # the most that a figure with 4 decimals is off

X = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
V = [[1.0, 0.0], [0.0, 2.0], [1.0, 2.0]]
PRESETS = {
    "worked": (X, X, V),
    "vrow": (X, X, [[1.0, 0.0], [0.0, 2.0], [3.0, 2.0]]),
    "zero": ([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]], X, V),
    "oneway": ([[1.0, 0.0], [0.0, 1.0]], [[0.0, 0.0], [2.0, 0.0]], [[1.0, 0.0], [0.0, 2.0]]),
    "cancel": (X, X, [[2.0, -1.0], [-2.0, 1.0], [0.0, 0.0]]),
}


SIZES = [(390, 844), (390, 664), (800, 700), (880, 760), (1280, 900)]  # of a screen


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium(MILLISECONDS) as started:
        yield started


@dataclass(frozen=True)
class Watched:
    """A tab, what its pages asked for, and the errors that they reported."""

    page: Page
    asked: list[str]
    errors: list[str]

    def open(self) -> Page:
        """The walkthrough, opened anew from disk."""
        self.page.goto("about:blank")
        self.asked.clear()
        self.errors.clear()
        self.page.goto(FILE.as_uri())
        return self.page

    def assert_quiet(self) -> None:
        """It has asked for nothing and reported no error."""
        assert self.errors == []
        assert [url for url in self.asked if url.partition("#")[0] != FILE.as_uri() and not url.startswith(OWN)] == []


@contextlib.contextmanager
def watched_tab(browser: Browser) -> Iterator[Watched]:
    with tab(browser, MILLISECONDS, height=1000) as page:
        made = Watched(page, [], [])
        page.on("request", lambda request: made.asked.append(request.url))
        page.on("console", lambda said: made.errors.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: made.errors.append(str(error)))
        yield made


@pytest.fixture(scope="module")
def shared_tab(browser: Browser) -> Iterator[Watched]:
    """A tab for many tests: a new one for each takes longer than what most tests do in it."""
    with watched_tab(browser) as made:
        yield made


@pytest.fixture
def page(shared_tab: Watched) -> Iterator[Page]:
    """The walkthrough for whoever wants no motion, which takes time. Whatever a test does, it stays quiet."""
    shared_tab.page.emulate_media(media="null", color_scheme="null", reduced_motion="reduce")
    shared_tab.page.set_viewport_size({"width": 1280, "height": 1000})
    yield shared_tab.open()
    shared_tab.assert_quiet()


@pytest.fixture
def moving_page(browser: Browser) -> Iterator[Page]:
    """The same with its motion, in a tab of its own, whose clock may be changed."""
    with watched_tab(browser) as made:
        yield made.open()
        made.assert_quiet()


# --- figures ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seeds", variants([range(12), range(12, 42)], short=[range(12)]))
def test_all_figures_are_those_of_torch(page: Page, seeds: range) -> None:
    for seed in seeds:
        q, k, v = drawn(seed)
        visit(page, f"q={text_of(q)}&k={text_of(k)}&v={text_of(v)}&row=all&all=1")
        compare(page, q, k, v, f"seed {seed}")


@pytest.mark.parametrize("seed", [100, 101])
def test_figures_follow_the_fields(page: Page, seed: int) -> None:
    tables = (
        torch.randint(-500, 500, (3, 3, 2), generator=torch.Generator().manual_seed(seed), dtype=torch.float64) / 100
    )
    for name, table in zip("qkv", tables, strict=True):
        for row, column in torch.cartesian_prod(torch.arange(3), torch.arange(2)).tolist():
            page.fill(f"#{name}-{row}-{column}", str(table[row, column].item()))
    compare(page, *tables)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_has_the_tables_and_the_figures_of_the_lesson(page: Page, preset: str) -> None:
    page.locator(f"[data-preset={preset}]").click()
    expect(page.locator(f"[data-preset={preset}]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#look")).to_contain_text("What to look at:")
    page.check("#show-all")
    compare(page, *(torch.tensor(table, dtype=torch.float64) for table in PRESETS[preset]))


@pytest.mark.parametrize(
    ("preset", "table", "figures"),
    [
        ("worked", "weights", [[0.4011, 0.1978, 0.4011], [0.1978, 0.4011, 0.4011], [0.2483, 0.2483, 0.5035]]),
        ("worked", "output", [[0.8022, 1.1978], [0.5989, 1.6044], [0.7517, 1.5035]]),
        ("vrow", "weights", [[0.4011, 0.1978, 0.4011], [0.1978, 0.4011, 0.4011], [0.2483, 0.2483, 0.5035]]),
        ("zero", "weights", [[0.3333, 0.3333, 0.3333], [0.1978, 0.4011, 0.4011], [0.2483, 0.2483, 0.5035]]),
        ("oneway", "dots", [[0, 2], [0, 0]]),
    ],
)
def test_known_figures_are_shown_as_the_lesson_prints_them(
    page: Page, preset: str, table: str, figures: list[list[float]]
) -> None:
    visit(page, f"preset={preset}&all=1")
    assert shown(page, table).tolist() == figures


def test_the_steps_say_why_position_0_reads_as_it_does(page: Page) -> None:
    said = "\n".join(line for step in told(page) for line in step.lines)
    for line in (
        "q0 · k0 = [1, 0] · [1, 0] = 1 × 1 + 0 × 0 = 1",
        "q0 · k1 = [1, 0] · [0, 1] = 1 × 0 + 0 × 1 = 0",
        "q0 · k2 = [1, 0] · [1, 1] = 1 × 1 + 0 × 1 = 1",
        "k0: 1 / √2 = 1 / 1.4142 = 0.7071",
        "2.0281 + 1 + 2.0281 = 5.0562",
        "k2: 2.0281 / 5.0562 = 0.4011",
        "a0 = [0.4011, 0.1978, 0.4011]",
        "0.1978 × v1 = 0.1978 × [0, 2] = [0, 0.3956]",
        "1st number: 0.4011 + 0 + 0.4011 = 0.8022",
        "2nd number: 0 + 0.3956 + 0.8022 = 1.1978",
        "output of position 0: [0.8022, 1.1978]",
        "softmax (exponentials ÷ their sum): a0 = [0.4011, 0.1978, 0.4011]",
    ):
        assert line in said


def test_every_word_of_the_field_is_introduced_before_it_is_used(page: Page) -> None:
    introduced = {
        "quer": "Each position has a query (what am I looking for?)",
        "dot product": "The result is called the dot product",
        "score": "The results are called scores",
        "softmax": "Softmax turns scores into shares in three moves",
        "weight": "The shares are the weights",
        "aggregation": "The last stage, aggregation, collects the values in these shares.",
    }
    for preset, row in [("worked", 0), ("vrow", 1), ("zero", 0), ("cancel", 2), ("cancel", 0)]:
        visit(page, f"preset={preset}&row={row}")
        texts = [page.locator("#look").inner_text(), *(" ".join([step.title, *step.why]) for step in told(page))]
        for word, sentence in introduced.items():
            first = next(i for i, text in enumerate(texts) if sentence in text)
            before = " ".join(texts[1:first])
            assert word not in before.lower(), f"{preset}: “{word}” before “{sentence}”"
            if word not in ("quer", "aggregation"):  # what to look at stands beside step 1, and speaks of the query
                assert word not in texts[0].lower(), f"{preset}: “{word}” in what to look at"


def test_the_first_screen_says_how_to_start(page: Page) -> None:
    for width, height in ((1280, 900), (800, 700), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        visit(page, "")
        start = page.get_by_text("Press Next → to make one number after the other (13 steps). Play does it for you.")
        expect(start).to_be_in_viewport(ratio=1)
        expect(page.locator("#next")).to_be_in_viewport(ratio=1)
        expect(page.locator("#why")).to_be_in_viewport(ratio=1)
        assert start.bounding_box()["y"] < page.locator("#next").bounding_box()["y"]  # type: ignore[index]
    colours = "id => getComputedStyle(document.getElementById(id)).backgroundColor"
    assert page.evaluate(colours, "next") != page.evaluate(colours, "back") == page.evaluate(colours, "play")


@pytest.mark.parametrize("size", variants(SIZES, short=[(390, 664), (1280, 900)]))
def test_after_each_next_the_step_is_in_sight(moving_page: Page, size: tuple[int, int]) -> None:
    moving_page.set_viewport_size({"width": size[0], "height": size[1]})
    for preset in ("worked", "zero", "cancel"):
        visit(moving_page, f"preset={preset}")
        for _ in range(steps(moving_page) - 1):
            moving_page.click("#next")
            for part in ("#title", "#sums", "#why", "#next"):
                expect(moving_page.locator(part)).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("size", variants(SIZES, short=[(390, 664), (1280, 900)]))
def test_next_stays_under_the_finger_from_the_first_move_on(moving_page: Page, size: tuple[int, int]) -> None:
    moving_page.set_viewport_size({"width": size[0], "height": size[1]})
    for preset in ("worked", "oneway"):
        visit(moving_page, f"preset={preset}")
        places = set()
        for _ in range(steps(moving_page) - 1):
            moving_page.keyboard.press("ArrowRight")
            places.add(moving_page.evaluate("Math.round(document.getElementById('next').getBoundingClientRect().top)"))
        assert len(places) == 1, f"{preset}: {places}"


def test_playing_and_choosing_bring_the_step_into_sight(moving_page: Page) -> None:
    moving_page.set_viewport_size({"width": 390, "height": 664})
    visit(moving_page, "")
    moving_page.select_option("#speed", "1500", force=True)
    moving_page.click("#options summary")
    moving_page.locator("[data-preset=vrow]").click()
    expect(moving_page.locator("#why")).to_be_in_viewport(ratio=1)
    expect(moving_page.locator("#count")).to_have_text("Step 1 of 13")
    moving_page.evaluate("scrollTo(0, document.body.scrollHeight)")
    moving_page.evaluate("document.activeElement.blur()")
    moving_page.keyboard.press("Space")
    expect(moving_page.locator("#count")).to_have_text("Step 2 of 13")
    expect(moving_page.locator("#why")).to_be_in_viewport(ratio=1)


def test_the_step_comes_before_examples_and_tables_where_there_is_one_column(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, "")
    tops = "parts => parts.map(part => document.querySelector(part).getBoundingClientRect().top)"
    first = page.evaluate(tops, ["#stages", "#play", "#title", "#why", "#look", "#trail", "#options", "#q"])
    assert first == sorted(first)
    expect(page.locator("#presets")).to_be_hidden()
    page.click("#next")
    later = page.evaluate(tops, ["#stages", "#play", "#title", "#why", "#trail", "#look", "#options", "#q"])
    assert later == sorted(later)
    page.click("#back")
    assert page.evaluate(tops, ["#look"]) < page.evaluate(tops, ["#trail"])


def test_a_step_of_a_stage_leaves_the_table_below_it_where_it_is(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    places: dict[str, set[float]] = {}
    page.keyboard.press("ArrowRight")  # what to look at stands above the table at the first step only
    for _ in range(steps(page) - 1):
        stage = page.locator("[aria-current]").inner_text()
        places.setdefault(stage, set()).add(
            page.evaluate("document.getElementById('trail').offsetTop - document.getElementById('step').offsetTop")
        )
        page.keyboard.press("ArrowRight")
    assert {stage: len(tops) for stage, tops in places.items()} == dict.fromkeys(places, 1)
    assert len(places) == 4


@pytest.mark.parametrize("preset", PRESETS)
def test_an_example_opens_at_its_first_step_with_nothing_made(page: Page, preset: str) -> None:
    page.locator(f"[data-preset={preset}]").click()
    expect(page.locator("#count")).to_contain_text("Step 1 of")
    for table in MADE:
        assert shown(page, table).isnan().all()
    if preset in ("vrow", "cancel"):
        expect(page.locator("#look")).to_contain_text(f"This example is about position {1 if preset == 'vrow' else 2}")


def test_what_to_look_at_follows_the_position(page: Page) -> None:
    for row, said in [("0", "Follow position 0."), ("2", "Follow position 2."), ("all", "Follow one position after")]:
        page.check(f"#rows [value='{row}']")
        expect(page.locator("#look")).to_contain_text(said)


def test_a_changed_row_is_compared_with_the_worked_example(page: Page) -> None:
    visit(page, "preset=vrow")
    expect(page.locator("#look")).to_contain_text("There the output of position 1 is [0.5989, 1.6044].")
    visit(page, "preset=vrow&stage=mix&step=3")
    expect(page.locator("#sums")).to_contain_text("in the worked example: [0.5989, 1.6044]")
    visit(page, "preset=worked&row=1&stage=mix&step=3")
    expect(page.locator("#sums")).not_to_contain_text("in the worked example")


@pytest.mark.parametrize(
    ("link", "why"),
    [
        (
            "stage=dot&step=3",
            "the second number of a key does not count for it. Both keys have 1 in first place, so both give 1.",
        ),
        ("row=2&stage=dot&step=2", "Their numbers differ, but the sums are the same."),
        ("preset=zero&stage=dot&step=2", "q0 is a row of zeros, so no number of a key counts for it."),
        ("q=1,2&k=3,4;3,4&v=1;2&stage=dot&step=2", "The two keys are the same row of numbers."),
        ("q=1,0,2&k=3,4,5;3,9,5&v=1;2&stage=dot&step=2", "the two keys have the same numbers, so both give 13."),
        (
            "q=0,1,0&k=3,4,5;7,4,6&v=1;2&stage=dot&step=2",
            "so the first and third numbers of a key do not count for it.",
        ),
    ],
)
def test_equal_dot_products_are_explained_by_what_is_true_of_them(page: Page, link: str, why: str) -> None:
    visit(page, link)
    expect(page.locator("#why")).to_contain_text(why)


@pytest.mark.parametrize(
    ("link", "why"),
    [
        ("stage=softmax&step=2", "It still gets something: its score 0 became 1, not 0, and 1 of 5.0562 is 0.1978."),
        ("q=1&k=1;-1&v=1;2&stage=softmax&step=2", "became 0.3679, which is above 0, and 0.3679 of 3.0862 is 0.1192."),
        ("q=1&k=2;1&v=1;2&stage=softmax&step=2", "its score 1 became 2.7183, and 2.7183 of 10.1073 is 0.2689."),
        ("q=1&k=20;19&v=1;2&stage=softmax&step=2", "its exponential is above 0, and 0.3679 of 1.3679 is 0.2689."),
        ("q=1&k=2;1;0&v=1;2;3&stage=softmax&step=2", "Each still gets something, for every exponential is above 0."),
        ("q=99&k=99;0&v=1;2&stage=softmax&step=2", "one that is shown as 0.0000 is next to nothing."),
        ("preset=zero&stage=softmax&step=2", "every position gets the same share, 1/3."),
        ("q=1&k=1&v=1&stage=softmax&step=2", "There is only one position to read, so it gets the whole."),
    ],
)
def test_a_smaller_share_is_explained_by_what_is_true_of_it(page: Page, link: str, why: str) -> None:
    visit(page, link)
    expect(page.locator("#why")).to_contain_text(why)


def test_what_is_too_small_to_show_is_not_shown_as_nothing(page: Page) -> None:
    visit(page, "q=99,0&k=99,0;0,1;1,1&v=1;2;3&stage=softmax&all=1")
    expect(page.locator("#sums")).to_contain_text("≈ 0.0000 (above 0, too small to show)")
    cells = page.locator("#weights td").all_inner_texts()
    assert cells == ["1.0000", "0.0000", "0.0000"]


def test_the_contributions_have_a_row_for_each_number(page: Page) -> None:
    visit(page, "stage=mix&step=2")
    rows = page.locator("#trail tbody tr").evaluate_all(
        "rows => rows.slice(-4).map(row => [...row.cells].map(c => c.textContent))"
    )
    assert rows == [
        ["weight × v, 1st", "0.4011", "0", "0.4011"],
        ["sum = output", "·"],
        ["weight × v, 2nd", "0", "0.3956", "0.8022"],
        ["sum = output", "·"],
    ]
    page.click("#next")
    assert page.locator("#trail .is-made").all_inner_texts() == ["0.8022", "1.1978"]
    heads = page.locator("#trail thead th").all_inner_texts()[1:]
    assert heads == ["position 0", "position 1", "position 2"]


@pytest.mark.parametrize(
    ("link", "why"),
    [
        ("", "q0 looks for the first and does not care about the second; k1 offers only the second."),
        ("row=1", "q1 looks for the second and does not care about the first; k0 offers only the first."),
        ("row=2", "q2 looks for the first and the second; k0 offers only the first."),
        ("preset=zero", "q0 looks for nothing in particular; k0 offers only the first."),
        ("preset=oneway", "q0 looks for the first and does not care about the second; k1 offers only the first."),
        (
            "q=1,-2,0&k=1,-1,0;2,1,3&v=1;2",
            "q0 looks for the first, avoids the second and does not care about the third",
        ),
        ("q=-1&k=2&v=1", "Imagine that the number stands for one feature: q0 avoids it."),
        ("stage=dot&step=1", "only where the query looks for something and the key offers it."),
        ("preset=oneway&step=1", "only where the query looks for something and a key offers it."),
        ("q=-1,2&k=1,1&v=1&step=1", "and takes away where the signs differ; a 0 adds nothing."),
        ("stage=scale", "with 4 times as many numbers, typically √4 = 2 times as far."),
        ("stage=softmax", "A score of 0 does not mean “no use”: scores can be negative, so 0 can even be the best."),
        ("stage=softmax", "and scores can add up to 0, by which nothing can be divided."),
        ("preset=zero&stage=softmax", "and here the scores add up to 0, by which nothing can be divided."),
        ("q=1&k=1;-1&v=1;2&stage=softmax", "and here the scores add up to 0, by which nothing can be divided."),
        ("stage=mix&step=3", "The shares add up to 1; these sums need not, for they depend on the values."),
    ],
)
def test_the_words_follow_the_numbers(page: Page, link: str, why: str) -> None:
    visit(page, link)
    expect(page.locator("#why")).to_contain_text(why)


def test_figures_in_the_words_are_right(page: Page) -> None:
    visit(page, "stage=scale")
    assert (round(math.e**8), round(math.e, 1)) == (2981, 2.7)
    for said in ("a lead of 8 would be shared about 2981 to 1", "a lead of 8 / 8 = 1, about 2.7 to 1"):
        expect(page.locator("#why")).to_contain_text(said)


def test_where_all_are_followed_unequal_matches_are_compared(page: Page) -> None:
    mutual = "matching need not be mutual"
    visit(page, "preset=oneway&step=0")
    expect(page.locator("#sums")).to_contain_text("k0 = [0, 0], k1 = [2, 0]")
    visit(page, "preset=oneway&step=1")
    expect(page.locator("#why")).not_to_contain_text(mutual)
    visit(page, "preset=oneway&step=2")
    expect(page.locator("#why")).to_contain_text(f"q0 · k1 was 2, q1 · k0 is 0: {mutual}.")
    assert mutual not in " ".join(" ".join(step.why) for step in told_from(page, "row=all"))


def test_rounding_is_told_where_something_is_rounded(page: Page) -> None:
    note = page.get_by_text("Shown to 4 decimals, calculated in full.", exact=True)
    visit(page, "stage=dot&step=1")
    expect(note).to_be_hidden()
    visit(page, "preset=cancel&stage=mix")
    expect(page.locator("#sums")).to_contain_text("0.2483 × [2, −1] = [0.4965, −0.2483]")
    expect(note).to_be_in_viewport(ratio=1)


def test_sums_stand_on_one_line_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, "stage=mix&step=3")
    lines = page.locator("#sums li")
    assert lines.all_inner_texts()[:2] == ["1st: 0.4011 + 0 + 0.4011 = 0.8022", "2nd: 0 + 0.3956 + 0.8022 = 1.1978"]
    assert len({round(lines.nth(i).bounding_box()["height"]) for i in range(3)}) == 1  # type: ignore[index]


def test_the_summary_makes_nothing_new(page: Page) -> None:
    visit(page, "stage=mix&step=4")
    expect(page.locator("#title")).to_have_text("In short")
    assert marked(page, "is-made") == set()
    assert "output.0.1" in marked(page, "is-used")


def test_scores_in_the_thousands_give_proper_weights(page: Page) -> None:
    visit(page, "q=100,100&k=100,100;100,99.99;-100,-100&v=1;2;3&stage=softmax&all=1")
    expect(page.locator("#why")).to_contain_text("the largest is subtracted first")
    weights = shown(page, "weights")
    assert weights.sum().item() == pytest.approx(1)
    assert weights[0, 2] == 0


def test_contributions_that_cancel_are_told(page: Page) -> None:
    visit(page, "preset=cancel&stage=mix&step=3")
    assert shown(page, "output")[2].tolist() == [0, 0]
    expect(page.locator("#why")).to_contain_text("cancel")


def test_a_step_marks_what_it_uses_and_what_it_makes(page: Page) -> None:
    visit(page, "stage=dot&step=2")
    assert marked(page, "is-used") == {"q.0.0", "q.0.1", "k.1.0", "k.1.1"}
    assert marked(page, "is-made") == {"dots.0.1"}
    assert page.locator("#dots [data-at='dots.0.2']").inner_text() == "·"


def test_it_shows_no_code(page: Page) -> None:
    assert re.search(r"torch|dim=|@|def |\.T\b|\.mT\b", page.locator("body").inner_text()) is None


# --- editing ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("abc", "q0, first number: “abc” is not a number."),
        ("", "q0, first number is empty."),
        ("1,5", "write “1,5” with a point"),
        ("1000", "1000 is outside −100 to 100"),
        ("-999999", "−999999 is outside −100 to 100"),
        ("Infinity", "“Infinity” is not a number"),
        ("<b>1", "“<b>1” is not a number"),
    ],
)
def test_invalid_input_is_told_and_the_last_valid_number_stays(page: Page, typed: str, told: str) -> None:
    page.check("#show-all")
    before = shown(page, "output")
    page.fill("#q-0-0", typed)
    expect(page.locator("#trouble")).to_contain_text(told)
    expect(page.locator("#q-0-0")).to_have_attribute("aria-invalid", "true")
    assert torch.equal(shown(page, "output"), before)
    page.press("#q-0-0", "Escape")
    expect(page.locator("#trouble")).to_have_text("")
    expect(page.locator("#q-0-0")).to_have_value("1")


def test_a_changed_number_makes_the_example_ones_own_and_shows_what_follows(page: Page) -> None:
    page.fill("#v-2-0", "3.5")
    expect(page.locator("#show-all")).to_be_checked()
    expect(page.locator("#look")).to_contain_text("Your own numbers.")
    compare(page, *(torch.tensor(t, dtype=torch.float64) for t in (X, X, [[1.0, 0.0], [0.0, 2.0], [3.5, 2.0]])))
    page.fill("#v-2-0", "1")
    expect(page.locator("[data-preset=worked]")).to_have_attribute("aria-pressed", "true")


def test_a_field_is_as_wide_as_its_number(page: Page) -> None:
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.fill("#q-0-0", "-99.123")
        assert page.locator("#q-0-0").evaluate("field => field.scrollWidth <= field.clientWidth")


def test_what_is_being_typed_outlives_another_query(page: Page) -> None:
    page.fill("#q-0-0", "1.5.")
    page.check("#rows [value='2']")
    expect(page.locator("#q-0-0")).to_have_value("1.5.")
    expect(page.locator("#trouble")).to_contain_text("“1.5.” is not a number")
    page.locator("[data-preset=zero]").click()
    expect(page.locator("#q-0-0")).to_have_value("0")
    expect(page.locator("#trouble")).to_have_text("")


# --- moving, playing, the address -----------------------------------------------------------------------


def test_it_plays_pauses_and_stops_at_the_end(moving_page: Page) -> None:
    moving_page.clock.install()
    moving_page.goto("about:blank")
    moving_page.goto(FILE.as_uri())
    moving_page.select_option("#speed", "1500")
    moving_page.click("#play")
    moving_page.clock.run_for(3100)
    expect(moving_page.locator("#count")).to_have_text("Step 3 of 13")
    moving_page.click("#play")
    moving_page.clock.run_for(10_000)
    expect(moving_page.locator("#count")).to_have_text("Step 3 of 13")
    moving_page.click("#play")
    moving_page.clock.run_for(60_000)
    expect(moving_page.locator("#count")).to_have_text("Step 13 of 13")
    expect(moving_page.locator("#play")).to_have_text("Play")


def test_the_first_move_of_play_comes_soon(moving_page: Page) -> None:
    moving_page.clock.install()
    visit(moving_page, "")
    moving_page.click("#play")
    moving_page.clock.run_for(2100)
    expect(moving_page.locator("#count")).to_have_text("Step 2 of 13")
    moving_page.clock.run_for(2000)
    expect(moving_page.locator("#count")).to_have_text("Step 2 of 13")
    moving_page.clock.run_for(4500)
    expect(moving_page.locator("#count")).to_have_text("Step 3 of 13")


def test_everything_works_from_the_keyboard(page: Page) -> None:
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        focused = page.evaluate(
            "[document.activeElement.id || document.activeElement.textContent || "
            "document.activeElement.name, getComputedStyle(document.activeElement).outlineStyle]"
        )
        reached.add(focused[0])
        assert focused[0] == "" or "body" in focused[0] or focused[1] != "none", focused
    assert {"play", "next", "speed", "show-all", "link", "q-0-0", "v-2-1", "Cancellation", "row"} <= reached

    page.locator("body").evaluate("() => document.activeElement.blur()")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#count")).to_have_text("Step 2 of 13")
    page.keyboard.press("End")
    expect(page.locator("#title")).to_have_text("In short")
    page.keyboard.press("Home")
    expect(page.locator("#count")).to_have_text("Step 1 of 13")
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_text("Pause")
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_text("Play")

    page.focus("#rows input:checked")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#rows input:checked")).to_have_value("1")
    expect(page.locator("#rows input:checked")).to_be_focused()
    page.keyboard.press("End")
    expect(page.locator("#count")).to_have_text("Step 13 of 13")
    page.keyboard.press("Home")
    expect(page.locator("#count")).to_have_text("Step 1 of 13")

    page.focus("#options summary")
    page.keyboard.press("Space")
    expect(page.locator("#presets")).to_be_hidden()
    expect(page.locator("#play")).to_have_text("Play")


def test_keys_in_a_field_belong_to_the_field(page: Page) -> None:
    page.focus("#q-0-0")
    for key in ("ArrowRight", "ArrowLeft", "End", "Home", "Space"):
        page.keyboard.press(key)
    expect(page.locator("#count")).to_have_text("Step 1 of 13")
    expect(page.locator("#play")).to_have_text("Play")


def test_a_link_opens_the_same_place(page: Page) -> None:
    page.locator("[data-preset=zero]").click()
    page.fill("#k-1-0", "-0.25")
    page.locator("[data-stage=softmax]").click()
    page.keyboard.press("ArrowRight")
    address, before = page.url, state(page)
    assert address == page.locator("#link").evaluate("link => link.href")
    page.goto("about:blank")
    page.goto(address)
    assert state(page) == before
    assert "'-0.25'" in before


def test_the_link_is_copied_or_the_page_says_where_it_is(page: Page) -> None:
    stub = """works => navigator.clipboard.writeText = async link => {
        if (!works) throw new Error();
        window.copied = link;
    }"""
    page.evaluate(stub, True)
    page.click("#link")
    expect(page.locator("#copied")).to_have_text("The link is copied.")
    assert page.evaluate("copied") == page.url
    page.evaluate(stub, False)
    page.click("#link")
    expect(page.locator("#copied")).to_contain_text("copy it from the address bar")
    page.click("#next")
    expect(page.locator("#copied")).to_have_text("")


def test_back_and_forward_go_between_examples(page: Page) -> None:
    first = state(page)
    page.locator("[data-preset=cancel]").click()
    second = state(page)
    page.go_back()
    assert state(page) == first
    page.go_forward()
    assert state(page) == second != first


def test_going_back_from_a_field_brings_back_its_number(page: Page) -> None:
    page.locator("[data-preset=zero]").click()
    page.focus("#q-0-0")
    page.evaluate("history.back()")
    expect(page.locator("[data-preset=worked]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#q-0-0")).to_have_value("1")


def test_keys_work_on_after_the_last_step(page: Page) -> None:
    page.focus("#next")
    for _ in range(20):
        page.keyboard.press("Enter")
    expect(page.locator("#count")).to_have_text("Step 13 of 13")
    expect(page.locator("#next")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#count")).to_have_text("Step 12 of 13")


@pytest.mark.parametrize(
    ("link", "told"),
    [
        ("q=1,x;2,3", "Q is not a table of numbers"),
        ("q=1,2,3&k=1,2", "rows of Q and K are not equally wide"),
        ("v=1,2", "K and V do not have equally many rows"),
        ("row=7", "there is no query 7"),
        ("stage=end", "there is no stage “end”"),
        ("preset=" + quote("<img src=x>"), "there is no example “<img src=x>”"),
    ],
)
def test_a_link_that_cannot_be_read_is_told(page: Page, link: str, told: str) -> None:
    visit(page, link)
    expect(page.locator("#trouble")).to_contain_text(told)
    expect(page.locator("#count")).to_contain_text("Step 1 of")


def test_it_works_inside_a_frame_that_may_only_run_scripts(page: Page) -> None:
    frame = "<iframe sandbox='allow-scripts' width=900 height=900></iframe>"
    page.set_content(frame)
    page.locator("iframe").evaluate("(frame, html) => { frame.srcdoc = html }", FILE.read_text(encoding="utf-8"))
    inner = page.frame_locator("iframe")
    inner.locator("[data-stage=mix]").click()
    inner.locator("#next").click()
    expect(inner.locator("#count")).to_have_text("Step 10 of 13")


def test_without_scripts_the_page_says_what_to_do(browser: Browser) -> None:
    tab = browser.new_page(java_script_enabled=False)
    tab.goto(FILE.as_uri())
    expect(tab.get_by_text("Trust HTML")).to_be_visible()
    expect(tab.locator("main")).to_be_hidden()
    tab.close()


# --- everyone -----------------------------------------------------------------------------------------


def test_each_step_is_said_to_screen_readers(moving_page: Page) -> None:
    live = moving_page.locator("[aria-live=polite]")
    moving_page.click("#next")
    expect(live).to_contain_text(
        "Step 2 of 13, Dot products. How well does q0 match k0? q0 · k0 = [1, 0] · [1, 0] = 1 × 1 + 0 × 0 = 1."
    )
    moving_page.click("#next")
    expect(live).to_contain_text("Step 3 of 13")


def test_tables_have_captions_and_headers(page: Page) -> None:
    assert page.locator("table").count() == page.locator("table > caption").count() == 8
    assert page.locator("th:not([scope])").count() == 0
    expect(page.get_by_role("textbox", name="Values, v2, first number")).to_have_value("1")


def test_motion_stops_where_it_is_not_wanted(moving_page: Page) -> None:
    moving = "() => [getComputedStyle(document.querySelector('#sums li')).animationName, " \
             "getComputedStyle(document.querySelector('#track')).transitionDuration]"  # fmt: skip
    assert moving_page.evaluate(moving) == ["arrive", "0.3s"]
    moving_page.emulate_media(reduced_motion="reduce")
    assert moving_page.evaluate(moving) == ["none", "0s"]


def test_a_narrow_screen_needs_no_sideways_scrolling(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    for preset in PRESETS:
        visit(page, f"preset={preset}&row=0&all=1&stage=dot")
        for _ in range(steps(page)):
            assert page.evaluate("document.documentElement.scrollWidth") <= 360
            page.keyboard.press("ArrowRight")
    visit(
        page, f"q={text_of(torch.full((6, 4), -99.5))}&k={text_of(torch.full((6, 4), 99.5))}&v={'1,2,3,4;' * 5}1,2,3,4"
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    picture(page, "walkthrough-narrow")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("link", ["", "stage=dot&step=2", "stage=softmax&step=2", "row=all&stage=mix&all=1", "q=1,x"])
def test_axe_finds_nothing(page: Page, scheme: str, link: str) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    visit(page, link)
    assert axe_trouble(page) == []
    picture(page, f"walkthrough-{scheme}-{re.sub('[^a-z]+', '-', link)}".rstrip("-"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_is_white_and_without_buttons(page: Page, scheme: str) -> None:
    page.emulate_media(media="print", color_scheme=scheme)  # type: ignore[arg-type]
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    expect(page.locator("#play")).to_be_hidden()
    expect(page.locator("#weights")).to_be_visible()


# --- what the tests do with the page --------------------------------------------------------------------


def visit(page: Page, fragment: str) -> None:
    """Open the page anew at a link."""
    page.goto("about:blank")
    page.goto(f"{FILE.as_uri()}#{fragment}")


def drawn(seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Tables of any size that the page takes; some seeds with numbers so large that a plain softmax would overflow."""
    generator = torch.Generator().manual_seed(seed)
    queries, keys, width, columns = (int(torch.randint(1, most + 1, (), generator=generator)) for most in (6, 6, 4, 4))
    size = (1, 3, 20)[seed % 3]
    q, k, v = (
        torch.randn(shape, generator=generator, dtype=torch.float64) * size
        for shape in ((queries, width), (keys, width), (keys, columns))
    )
    return q.clamp(-100, 100), k.clamp(-100, 100), v.clamp(-100, 100)


def text_of(table: Tensor) -> str:
    return ";".join(",".join(repr(number) for number in row) for row in table.tolist())


def compare(page: Page, q: Tensor, k: Tensor, v: Tensor, about: str = "") -> None:
    dots = q @ k.T
    scores = dots / math.sqrt(q.shape[1])
    weights = torch.softmax(scores, dim=1)
    for name, expected in zip(MADE, (dots, scores, weights, weights @ v), strict=True):
        figures = shown(page, name)
        assert figures.shape == expected.shape
        assert (figures - expected).abs().max() <= SHOWN, f"{name} {about}: {figures} is not {expected}"


def shown(page: Page, name: str) -> Tensor:
    """A table as it is displayed; what is not made yet is NaN."""
    rows = page.locator(f"#{name} tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent))"
    )
    assert all(re.fullmatch(r"·|−?\d+(\.\d{4})?", text) for row in rows for text in row), rows
    numbers = [[float(text.replace("−", "-").replace("·", "nan")) for text in row] for row in rows]
    return torch.tensor(numbers, dtype=torch.float64)


def marked(page: Page, mark: str) -> set[str]:
    """The cells of the matrices that a step marks."""
    return set(page.locator(f".flow .{mark}").evaluate_all("cells => cells.map(cell => cell.dataset.at)"))


def state(page: Page) -> str:
    """All that is displayed, and the numbers in the fields."""
    fields = page.locator("td.entry input").evaluate_all("fields => fields.map(field => field.value)")
    return f"{page.locator('main').inner_text()}\n{fields}"


@dataclass(frozen=True)
class Step:
    title: str
    lines: list[str]
    why: list[str]


def told(page: Page) -> list[Step]:
    """All steps from the present one on."""
    found = []
    for _ in range(steps(page)):
        lines = [" ".join(line.split()) for line in page.locator("#sums li").all_inner_texts()]
        found.append(Step(page.locator("#title").inner_text(), lines, page.locator("#why p").all_inner_texts()))
        page.keyboard.press("ArrowRight")
    return found


def told_from(page: Page, fragment: str) -> list[Step]:
    visit(page, fragment)
    return told(page)


def steps(page: Page) -> int:
    return int(page.locator("#count").inner_text().split()[-1])

"""Charts and markup: where things stand, what colour they have, and that foreign text stays text."""

import numpy as np
import pytest

from agzamov_verify.show.html_report.charts import Whisker, certainty, stacked, whiskers
from agzamov_verify.show.html_report.course_figures import chance_band
from agzamov_verify.show.html_report.drawing import AxisScale, ticks
from agzamov_verify.show.html_report.markup import element, html, raw, table
from agzamov_verify.show.html_report.plane_charts import APART_PX, WIDTH_PX, Dot, Line, course, places, scattered
from agzamov_verify.show.html_report.seat_figures import frontier


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 1.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (-3.0, 7.0, [-2.0, 0.0, 2.0, 4.0, 6.0]),
        (480.0, 740.0, [500.0, 600.0, 700.0]),
        (0.0, 0.004, [0.0, 0.001, 0.002, 0.003, 0.004]),
    ],
)
def test_ticks_are_round_values_within_the_bounds(low: float, high: float, expected: list[float]) -> None:
    assert ticks(low, high) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("low", "high", "kind"), [(0.1, 0.4, "above"), (-0.4, -0.1, "below"), (-0.1, 0.4, "unsure"), (None, None, "unsure")]
)
def test_only_an_interval_that_excludes_the_null_is_coloured(low: float | None, high: float | None, kind: str) -> None:
    assert certainty(low, high, 0.0) == kind


def test_values_beyond_a_scale_stand_at_its_edge() -> None:
    scale = AxisScale(0.0, 10.0, 100.0, 200.0)
    assert [scale(value) for value in (0.0, 5.0, 10.0, float("inf"), -3.0)] == [100.0, 150.0, 200.0, 200.0, 100.0]


def test_a_whisker_chart_has_a_row_for_each_figure() -> None:
    chart = whiskers([Whisker("one", 0.6, 0.55, 0.65), Whisker("two", 0.5, None, None)], 0.5, "points", "title")
    text = html(chart)
    assert text.count("<circle") == 2
    assert text.count('class="whisker"') == 3
    assert 'class="row above"' in text
    assert 'class="row unsure"' in text
    assert text.count('class="dot hollow"') == 1  # that without an interval


def test_the_line_of_equal_players_has_its_value_and_its_name() -> None:
    text = html(whiskers([Whisker("one", 0.6, 0.55, 0.65)], 0.5, "points", "title", "equal players"))
    assert ">0.5, equal players<" in text


def test_what_is_compared_with_nothing_has_no_line_and_no_colour() -> None:
    """Centipawns lost were green, though less is better."""
    text = html(whiskers([Whisker("one", 30.0, 20.0, 40.0)], None, "centipawns", "title"))
    assert 'class="null"' not in text
    assert 'class="row unsure"' in text


def test_a_chart_keeps_its_letters_and_shows_each_point_however_narrow_it_is() -> None:
    """Charts were 576 pixels wide at least, so that on a phone the points lay outside of the screen."""
    dots = [Dot("one", 10.0, 0.5, 0.4, 0.6), Dot("two", 20.0, 0.7, None, None)]
    charts = [
        whiskers([Whisker("one", 0.6, 0.55, 0.65)], 0.5, "points", "t"),
        course([Line([(0, 1.0), (9, 2.0)], "main")], (), ("games", "points"), "t"),
        scattered(dots, frontier(dots), ("tokens", "points"), "t"),
    ]
    drawings = [drawing for chart in charts for drawing in chart.iter("svg") if drawing.get("class") != "lines"]
    for drawing in drawings:
        assert drawing.get("width") == "100%"
        assert drawing.get("viewBox") is None
    for chart in charts:
        across = [value for part in chart.iter() for name, value in part.items() if name in {"x", "x1", "x2", "cx"}]
        assert all(value.endswith("%") and 0 <= float(value[:-1]) <= 100 for value in across)


def test_an_axis_ends_where_the_measure_does() -> None:
    text = html(course([Line([(0, 1.0), (9, 1.0)], "main")], (), ("games", "points a game"), "t", (0.0, 1.0)))
    assert ">1<" in text
    assert ">1.2<" not in text


def test_numbers_of_crowded_points_do_not_lie_on_each_other() -> None:
    rng = np.random.default_rng(5)
    points = [(40 + 4 * x, 100 + 40 * y) for x, y in rng.random((22, 2))]
    placed = places(points, 220.0)
    for index, one in enumerate(placed):
        for other in placed[:index]:
            across, down = abs(one.x - other.x) * WIDTH_PX / 100, abs(one.y - other.y)
            assert across >= APART_PX[0] - 1e-9 or down >= APART_PX[1] - 1e-9


def test_the_frontier_holds_what_nothing_beats_for_less() -> None:
    dots = [
        Dot("a", 10, 1.0, None, None),
        Dot("b", 20, 0.9, None, None),
        Dot("c", 30, 2.0, None, None),
        Dot("d", 10, 0.5, None, None),
    ]
    assert frontier(dots) == [(10, 1.0), (30, 2.0)]


def test_the_band_of_chance_holds_95_of_100_window_means_of_results_in_a_random_order() -> None:
    rng = np.random.default_rng(3)
    values, window = rng.integers(0, 5, 60) / 4, 12
    band = chance_band([list(values)], window, (0.0, 1.0))
    assert band
    means = [rng.permutation(values)[:window].mean() for _ in range(20_000)]
    inside = np.mean([band[0] <= mean <= band[1] for mean in means])
    assert 0.93 < inside < 0.975  # means of twelve quarters take few values


def test_the_band_of_a_career_holds_95_of_100_window_means_of_one_career_in_a_random_order() -> None:
    rng = np.random.default_rng(4)
    careers, window = rng.normal(0.0, 1.0, (5, 60)), 12
    careers -= careers.mean(axis=1, keepdims=True)
    band = chance_band(careers.tolist(), window, (-np.inf, np.inf))
    of_mean = chance_band([careers.mean(axis=0).tolist()], window, (-np.inf, np.inf))
    assert band
    assert of_mean
    means = [rng.permutation(career)[:window].mean() for career in careers for _ in range(4000)]
    assert 0.94 < np.mean([band[0] <= mean <= band[1] for mean in means]) < 0.96
    shuffled = (np.mean([rng.permutation(career)[:window].mean() for career in careers]) for _ in range(4000))
    assert 0.90 < np.mean([of_mean[0] <= mean <= of_mean[1] for mean in shuffled]) < 0.99


def test_a_course_that_learns_leaves_the_band_and_few_results_have_none() -> None:
    learns = [0.2] * 20 + [0.8] * 20
    band = chance_band([learns], 10, (0.0, 1.0))
    assert band
    assert band[0] > 0.2
    assert band[1] < 0.8
    assert chance_band([[0.0, 1.0, 1.0]], 1, (0.0, 1.0)) is None


def test_the_band_stays_within_what_the_measure_can_be() -> None:
    assert chance_band([[0.0, 1.0] * 6], 1, (0.0, 1.0)) == (0.0, 1.0)


def test_a_name_stands_beside_its_drawing_whole_and_never_in_it() -> None:
    """Names lay on the lines of the plot; once one was cut at 44 characters, so that two arms had one name."""
    start = "the novice with a placebo of memory by full text "
    rows = [Whisker(start + end, 0.5, None, None) for end in ("in chess", "aged by twenty games")]
    chart = whiskers(rows, 0.5, "points", "t")
    names = [part.text for part in chart.iter("span") if part.get("class") == "label"]
    assert names == [row.label for row in rows]
    assert not any(name in html(drawing) for drawing in chart.iter("svg") for name in names if name)


def test_a_row_with_an_address_is_a_link_and_one_without_is_none() -> None:
    rows = [Whisker("one", 0.6, 0.55, 0.65, "0.60", "#m=one"), Whisker("two", 0.5, None, None)]
    chart = whiskers(rows, 0.5, "points", "t")
    (link,) = chart.iter("a")
    assert link.get("href") == "#m=one"
    assert "".join(link.itertext()) == "one0.60"
    (bar,) = stacked([("one", (0.1, 0.2), "#m=one&unusable=any")], 1.0, "share", "t").iter("a")
    assert bar.get("href") == "#m=one&unusable=any"


def test_scattered_points_have_the_numbers_of_their_table() -> None:
    dots = [Dot(f"a very long name of a match, number {number}", 10.0 * number, 0.5, None, None) for number in (1, 2)]
    text = html(scattered(dots, frontier(dots), ("tokens", "points"), "t"))
    for number in (1, 2):
        assert text.count(f'class="label number">{number}<') == 1
    assert ">a very long name" not in text


HOSTILE = "<script>alert(1)</script> & \"quotes\" 'single' \N{RIGHT-TO-LEFT OVERRIDE} \N{LINE SEPARATOR}"


def test_foreign_text_is_text_in_elements_and_attributes() -> None:
    text = html(element("p", HOSTILE, element("b", "bold"), HOSTILE, title=HOSTILE))
    assert "<script>" not in text
    assert text.count("&lt;script&gt;") == 2
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in text
    assert "\N{LINE SEPARATOR}" not in text
    assert text.count("\\u{202e}") == 3
    assert text.count("&quot;quotes&quot;") == 1


@pytest.mark.parametrize("text", ["a </script> b", "a </SCRIPT", "<!-- a"])
def test_a_text_that_would_end_its_script_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="ends its script element"):
        raw("script", text)


def test_a_percentage_is_not_broken_and_foreign_blanks_are_spelled_out() -> None:
    assert html(element("p", "a 95 % interval")) == "<p>a 95\N{NO-BREAK SPACE}% interval</p>"
    assert "\N{NO-BREAK SPACE}" not in html(element("p", "a\N{NO-BREAK SPACE}b"))


def test_a_table_has_headings_for_columns_and_rows() -> None:
    text = html(table(("name", "value"), [("one", "1")], "caption"))
    assert text.count('scope="col"') == 2
    assert text.count('scope="row"') == 1
    assert "<caption>caption</caption>" in text


def test_what_can_be_moved_aside_is_named_and_reached_by_keyboard() -> None:
    box = table(("name", "value"), [("one", "1")])
    assert (box.get("tabindex"), box.get("role"), box.get("aria-label")) == ("0", "region", "Table: name, value")

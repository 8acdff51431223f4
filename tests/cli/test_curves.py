"""The curves of report.html in a browser: what a point is told by pointer and keyboard, and the range that
the axes show."""

import json
import math
import re
import shutil

import pytest

import tiny
from test_html import CLAIMS, run
from test_report import SWEPT

# Three lines and a level, over a setting on a logarithmic axis.
CURVE = "document.querySelector('.curve[data-y-name=relative-error-median]')"
RANGE = f"{CURVE}.closest('figure').querySelector('.range')"
POINTS = f"Array.from({CURVE}.querySelectorAll('.point'), " + r"""(one) => {
    const [x, y] = one.firstElementChild.getAttribute('transform').match(/-?[\d.]+/g).map(Number);
    return { says: one.getAttribute('aria-label'), x, y, shown: !one.hasAttribute('display') };
})"""
TIP = f"""(() => {{ const tip = {CURVE}.closest('figure').querySelector('.tip');
    return tip.hidden ? null : tip.innerText; }})()"""
TICKS = f"""Array.from({CURVE}.querySelectorAll('.ticks'))
    .filter((one) => !one.hasAttribute('display')).flatMap((one) =>
        Array.from(one.querySelectorAll('text'), (text) => text.textContent.trim()))"""
STATUS = f"{RANGE}.querySelector('[role=status]').textContent"
WHOLE = f"{RANGE}.querySelector('button').click()"
# Lines of the data.
PATHS = f"""Array.from({CURVE}.querySelectorAll('[id*=plot_] path'),
                       (one) => one.getAttribute('d').replace(/\\s+/g, ''))"""


@pytest.fixture
def page(sandbox, open_page):
    if shutil.which("gnuplot") is None:
        pytest.skip("gnuplot is not installed")
    run(sandbox, tiny.SCENARIO.replace("dimension = 2; 4", "dimension = 2; 4; 8") + CLAIMS, code=1)
    opened = open_page(width=1000, height=900)
    opened.show_as()
    return opened


def choose(page, *values):
    """Types x from, x to, y from, y to; None: as it is."""
    for i, value in enumerate(values):
        if value is not None:
            page.ask(f"(() => {{ const one = {RANGE}.querySelectorAll('input[type=text]')[{i}];"
                     f" one.value = '{value}'; one.dispatchEvent(new Event('change')); }})()")


def numbers(says):
    """The setting and the measure of a point's words."""
    lines = says.split("\n")[1:]
    return [float(re.search(r": (-?[\d.e+-]+)", line).group(1)) for line in lines]


def test_each_point_is_told(page, sandbox):
    """Its words have the numbers of results.json, and it stands where they are."""
    results = json.loads(sandbox.read("out/results.json"))
    measured = {f"{one['estimate']:.4g}" for cell in results["pooled"]
                for one in cell["measurements"]} | {
                    f"{100 * one['estimate']:.4g}" for cell in results["pooled"]
                    for one in cell["measurements"]}
    points = page.ask(POINTS)
    assert len(points) >= 6, points
    for one in points:
        *setting, value = numbers(one["says"])
        assert f"{value:.4g}" in measured, one
        assert setting in ([2], [4], [8], []), one
    ordered = sorted((numbers(one["says"])[0], one["x"]) for one in points
                     if len(numbers(one["says"])) == 2)
    assert [x for _, x in ordered] == sorted(x for _, x in ordered), ordered
    levels = [one for one in points if len(numbers(one["says"])) == 1]
    assert levels and all(one["x"] > max(x for _, x in ordered) for one in levels), levels


def test_pointer_and_keyboard_show_the_same(page):
    from selenium.webdriver import ActionChains
    points = page.ask(POINTS)
    assert page.ask(TIP) is None
    drawn = page.browser.find_elements("css selector", ".curve[data-y-name=relative-error-median] .point")
    page.ask(f"{CURVE}.scrollIntoView()")
    at = max(range(len(points)), key=lambda i: points[i]["x"])
    ActionChains(page.browser).move_to_element(drawn[at]).perform()
    assert page.ask(TIP) in {one["says"] for one in points}, "discs may lie on each other"
    page.ask(f"{CURVE}.focus()")
    page.press("TAB")
    for i, one in enumerate(points):
        assert page.ask(TIP) == one["says"], f"point {i}"
        page.press("ARROW_RIGHT")
    page.press("HOME")
    assert page.ask(TIP) == points[0]["says"]
    page.press("ESCAPE")
    assert page.ask(TIP) is None, "Escape puts it away"
    page.press("END")
    page.press("TAB")
    assert page.ask("document.activeElement.tagName") == "SUMMARY", "one step for all points"
    assert page.ask(TIP) is None


def test_words_stay_within_the_page(page):
    page.call("Emulation.setDeviceMetricsOverride", width=390, height=900, deviceScaleFactor=1,
              mobile=False)
    page.ask(f"{CURVE}.querySelector('.point').focus()")
    for i, one in enumerate(page.ask(POINTS)):
        page.press("ARROW_RIGHT" if i > 0 else "HOME")
        assert page.ask(TIP) == one["says"], i
        left, right = page.ask(f"(() => {{ const box = {CURVE}.nextElementSibling"
                               ".getBoundingClientRect(); return [box.left, box.right]; })()")
        assert 0 <= left < right <= 390, (i, left, right)


def test_range_moves_points(page):
    whole, paths = page.ask(POINTS), page.ask(PATHS)
    low, high, is_log = map(float, page.ask(f"{CURVE}.dataset.x").split())
    assert is_log == 1, "2, 4, 8"
    choose(page, 3, 12)
    frame = page.ask(f"(() => {{ const box = {CURVE}.querySelector('clipPath rect');"
                     " return ['x', 'width'].map((name) => Number(box.getAttribute(name))); })()")
    placed = 0
    for before, one in zip(whole, page.ask(POINTS)):
        if len(numbers(one["says"])) == 1:
            assert one["x"] == before["x"] and one["shown"], "a level reaches across every range"
            continue
        setting = numbers(one["says"])[0]
        assert one["shown"] == (3 <= setting <= 12), one
        if one["shown"]:
            share = math.log(setting / 3) / math.log(12 / 3)
            assert abs(one["x"] - frame[0] - share * frame[1]) < 0.1, one
            assert abs(one["y"] - before["y"]) < 0.02, "y is as it was"
            placed += 1
    assert placed > 1
    assert {"4", "6", "8"} <= set(page.ask(TICKS)), page.ask(TICKS)
    assert page.ask(PATHS) != paths
    shown = sum(one["shown"] for one in page.ask(POINTS))
    assert page.ask(STATUS) == f"{shown} of {len(whole)} points are in this range."
    page.ask(f"{CURVE}.querySelector('.point[tabindex=\"0\"]').focus()")
    page.press("HOME")
    for _ in range(len(whole)):
        said = page.ask("document.activeElement.getAttribute('aria-label')")
        assert said in {one["says"] for one in page.ask(POINTS) if one["shown"]}, said
        page.press("ARROW_RIGHT")
    page.ask(WHOLE)
    for before, one in zip(whole, page.ask(POINTS)):
        assert one["shown"] and math.hypot(one["x"] - before["x"], one["y"] - before["y"]) < 0.02
    assert page.ask(STATUS) == f"{len(whole)} of {len(whole)} points are in this range."


def test_scale_goes_from_logarithmic_to_linear(page):
    page.ask(f"{RANGE}.querySelector('input[type=checkbox]').click()")
    places = {numbers(one["says"])[0]: one["x"] for one in page.ask(POINTS)
              if len(numbers(one["says"])) == 2}
    assert set(places) == {2, 4, 8}, places
    assert abs((places[8] - places[4]) / (places[4] - places[2]) - 2) < 0.01, places


@pytest.mark.parametrize("typed", ("", "abc", "9", "Infinity"))
def test_mistakes_are_told_and_change_nothing(page, typed):
    before = page.ask(POINTS)
    choose(page, None, 5)
    narrow = page.ask(POINTS)
    assert narrow != before
    choose(page, typed)
    assert page.ask(STATUS) == "Expected two numbers, the smaller one first."
    assert page.ask(POINTS) == narrow
    assert page.ask(f"{RANGE}.querySelectorAll('[aria-invalid=true]').length") == 2


def test_range_by_mouse(page):
    from selenium.webdriver import ActionChains
    page.ask(f"{CURVE}.scrollIntoView()")
    svg = page.browser.find_element("css selector", ".curve[data-y-name=relative-error-median] svg")
    before = page.ask(POINTS)
    mouse = ActionChains(page.browser)
    mouse.move_to_element_with_offset(svg, -150, -200).click_and_hold().move_by_offset(
        300, 2).release().perform()
    after = page.ask(POINTS)
    assert [one["y"] for one in after] == pytest.approx([one["y"] for one in before], abs=0.02), (
        "a flat box is a range of x")
    assert sum(one["shown"] for one in after) < len(after), "what is left of it is hidden"
    assert page.ask(f"{RANGE}.open"), "the range can be read"
    ActionChains(page.browser).double_click(svg).perform()
    assert all(one["shown"] for one in page.ask(POINTS)), "the whole is back"


def test_paper_has_no_controls(page):
    page.show_as("print")
    seen = page.ask("Array.from(document.querySelectorAll('.range, .tip, .filters'))"
                    ".filter((one) => one.getClientRects().length > 0).length")
    assert seen == 0


# Of the first curve: the words beside points, as gnuplot set them, and where the points are.
BESIDE = r"""(() => {
    const curve = document.querySelector('.curve');
    const at = (one) => one.getAttribute('transform').match(/-?[\d.]+/g).slice(0, 2).map(Number);
    const isShown = (one) => !one.hasAttribute('display');
    return { labels: Array.from(curve.querySelectorAll('text'), (one) => one.parentElement)
                 .filter((one) => one.getAttribute('font-size') === '10.00')
                 .map((one) => ({ says: one.textContent.trim(), at: at(one), shown: isShown(one) })),
             points: Array.from(curve.querySelectorAll('.point'), (one) => ({
                 says: one.getAttribute('aria-label'), at: at(one.firstElementChild),
                 shown: isShown(one) })) };
})()"""


def test_settings_go_with_their_points(sandbox, open_page):
    """In a trade-off the setting stands beside the point, in every range."""
    if shutil.which("gnuplot") is None:
        pytest.skip("gnuplot is not installed")
    run(sandbox, SWEPT.replace("sigma = 0.5; 1; 2", "sigma = 0.5; 1; 2; 4"))
    page = open_page(width=1000, height=900)

    def beside():
        found = page.ask(BESIDE)
        pairs = []
        for label in found["labels"]:
            point, = [one for one in found["points"] if f"sigma={label['says']}\n" in one["says"]]
            pairs.append((label, point))
        return pairs

    before = beside()
    assert len(before) >= 2, before
    middle = sorted(point["at"][0] for _, point in before)
    low, high = map(float, page.ask("document.querySelector('.curve').dataset.x").split()[:2])
    page.ask("(() => { const one = document.querySelector('.range input[type=text]');"
             f" one.value = {low + (high - low) / 2}; one.dispatchEvent(new Event('change')); }})()")
    after = beside()
    assert middle != sorted(point["at"][0] for _, point in after), "no point was moved"
    for (label, point), (new_label, new_point) in zip(before, after):
        assert new_label["shown"] == new_point["shown"], (new_label, new_point)
        if new_label["shown"]:
            apart = [a - b for a, b in zip(label["at"], point["at"])]
            assert [a - b for a, b in zip(new_label["at"], new_point["at"])] == pytest.approx(
                apart, abs=0.05), (new_label, new_point)
    assert {new_label["shown"] for new_label, _ in after} == {True, False}, after

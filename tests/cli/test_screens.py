"""report.html on screens and on paper: what is drawn, that nothing is cut, that all can be read."""

import base64
import json
import re

import pytest

import browser
import printed
import tiny
from page_rules import CONTRASTS, CUT, WIDTHS
from test_html import CLAIMS, many, run
from test_pictures import FACES

# Of each strip: where its marks stand, in pixels from its left, and its width.
STRIPS = r"""Array.from(document.querySelectorAll('svg.strip'), (strip) => {
    const left = strip.getBoundingClientRect().left;
    const marks = { width: strip.getBoundingClientRect().width,
                    says: strip.getAttribute('aria-label') };
    for (const name of ['allowed', 'test', 'interval', 'estimate', 'bound']) {
        const one = strip.querySelector('.' + name);
        if (one === null) continue;
        const box = one.getBoundingClientRect();
        marks[name] = [box.left - left, box.right - left];
    }
    return marks;
})"""


@pytest.fixture
def claims(sandbox):
    run(sandbox, tiny.SCENARIO + CLAIMS, code=1)
    return json.loads(sandbox.read("out/results.json"))["claims"]


def test_strips_have_the_numbers_of_results_json(claims, open_page):
    strips = open_page().ask(STRIPS)
    assert len(strips) == len(claims), strips
    order = sorted(claims, key=lambda claim: claim["verdict"] != "violated")
    for claim, strip in zip(order, strips):
        bound = claim.get("at-most", claim.get("at-least"))
        # The bound and the interval fix the scale, on which all else must lie.
        allowed = strip["allowed"]
        at = allowed[1] if "at-most" in claim else allowed[0]
        scale = strip["width"] / 2000 if bound == 1000 else None  # the axis ends at 2,000
        assert scale is not None and abs(at - 1000 * scale) < 1.5, strip
        for name, key in (("interval", ("lower", "upper")), ("test", ("test_lower", "test_upper"))):
            for found, number in zip(strip[name], (claim[one] for one in key)):
                expected = max(0, min(2000, number)) * scale
                # What is too narrow to be seen is drawn 0.3 % wide.
                assert abs(found - expected) < 2 + 0.003 * strip["width"], (name, found, claim)
        assert "1000" in strip["says"] and "interval from" in strip["says"], strip["says"]


@pytest.mark.parametrize("scheme", ("light", "dark"))
def test_tiny_intervals_are_seen(claims, open_page, scheme):
    """Against a bound of 1,000 the intervals are far narrower than a pixel of a telephone."""
    widths = [abs(claim["upper"] - claim["lower"]) / 2000 * 390 for claim in claims]
    assert min(widths) < 0.5, f"they are not tiny: {widths}"
    page = open_page(width=390, height=900)
    page.show_as(scheme=scheme)
    strips = page.browser.find_elements("css selector", "svg.strip")
    assert len(strips) == len(claims)
    for strip in strips:
        bar = page.ask("getComputedStyle(document.querySelectorAll('svg.strip .interval')"
                       f"[{strips.index(strip)}]).fill")
        colour = tuple(int(one) for one in re.findall(r"\d+", bar)[:3])
        rows = browser.pixels(strip.screenshot_as_png)
        seen = sum(row.count(colour) for row in rows)
        # At least one pixel wide over the bar's 10, beside the mark of the estimate.
        assert seen >= 10, f"{seen} pixels of {colour} in a strip of {len(rows[0])}"


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_and_all_is_read(sandbox, open_page, width):
    run(sandbox, many() + CLAIMS, code=1)
    page = open_page(width=width, height=900)
    for media, scheme in (("screen", "light"), ("screen", "dark"), ("print", "light")):
        page.show_as(media, scheme)
        weak = {name: ratio for name, ratio in page.ask(CONTRASTS).items() if ratio < 4.5}
        assert not weak, f"{media}, {scheme}: {weak}"
        if media == "screen":
            assert page.ask(CUT) == [], f"{scheme}: {page.ask(CUT)}"
            assert page.ask("document.documentElement.scrollWidth") <= width
    page.show_as("screen", "light")
    page.ask("document.querySelector('.finding').append("
             "Object.assign(document.createElement('pre'), { textContent: 'x'.repeat(999) }))")
    page.ask("document.querySelector('.finding pre').attributeStyleMap.set('white-space', 'pre')")
    page.ask("document.querySelector('.finding pre').attributeStyleMap.set('width', '2000px')")
    assert page.ask(CUT) != [], "what is cut is not seen"


def test_heads_stand_on_every_printed_page(sandbox, open_page):
    """Measurements go over many pages of paper: each has the heads of their columns."""
    run(sandbox, many() + CLAIMS, code=1)
    pdf = base64.b64decode(open_page().call("Page.printToPDF")["data"])
    rows = [text for text in printed.pages(pdf) if text.count("order-statistics") > 3]
    assert len(rows) > 10, f"{len(rows)} pages of measurements"
    for text in rows:
        for head in ("dataset", "defense", "measure", "estimate", "method", "status"):
            assert head in text, f"{head}: {text[:400]}"


SHOWN = r"""(() => {
    const seen = (one) => one.getClientRects().length > 0;
    const texts = (all) => Array.from(all).filter(seen).map((one) => one.textContent);
    const tables = Array.from(document.querySelectorAll('#headlines table'));
    return { rows: tables.map((table) => texts(table.querySelectorAll('tbody td:first-child'))),
             heads: tables.map((table) => texts(table.querySelectorAll('thead th'))),
             measured: Array.from(document.querySelectorAll('#measurements tbody tr'),
                                  (row) => [row.cells[1].textContent, row.cells[2].textContent]),
             status: document.querySelector('#pooled [role=status]')?.textContent,
             sheets: texts(document.querySelectorAll('table.sheet thead th')) };
})()"""


def choose(page, what, value):
    page.ask(f"(() => {{ const one = Array.from(document.querySelectorAll('.filters label'))"
             f".find((label) => label.textContent.startsWith('{what}')).querySelector('select');"
             f" one.value = '{value}'; one.dispatchEvent(new Event('change')); }})()")


@pytest.mark.parametrize("more", (False, True), ids=("few", "many"))
def test_filter_by_defense_and_attack(sandbox, open_page, more):
    run(sandbox, (many() if more else tiny.SCENARIO) + CLAIMS, code=1)
    page = open_page()
    whole = page.ask(SHOWN)
    assert any(len(set(rows)) > 2 for rows in whole["rows"]), whole["rows"]
    choose(page, "Defense", "lifting")
    found = page.ask(SHOWN)
    assert found["measured"] and all(name.startswith("lifting ") for name, _ in found["measured"])
    assert all(name.startswith("lifting ") for rows in found["rows"] for name in rows)
    assert any(found["rows"]), found["rows"]
    attack = found["measured"][0][1]
    choose(page, "Attack", attack)
    found = page.ask(SHOWN)
    assert {one for _, one in found["measured"]} == {attack}, found["measured"]
    assert ["defense", attack] in found["heads"], found["heads"]
    if more:
        assert "found among" in found["status"], found["status"]
        choose(page, "Defense", "lifting dimension=7")
        assert {name for name, _ in page.ask(SHOWN)["measured"]} == {"lifting dimension=7"}
    choose(page, "Attack", "")
    choose(page, "Defense", "")
    assert page.ask(SHOWN) == whole, "everything is back"


def test_filter_of_contact_sheets(sandbox, open_page):
    sandbox.write("faces.scenario", FACES)
    sandbox.run_ok("faces.scenario", "--out", "out", "--quiet", "--trials", "1")
    page = open_page()
    whole = page.ask(SHOWN)["sheets"]
    assert len(whole) == 7, whole
    choose(page, "Defense", "mixed")
    assert page.ask(SHOWN)["sheets"] == ["original", "released by mixed",
                                         "recovered by averaging from mixed"]
    choose(page, "Defense", "")
    choose(page, "Attack", "verbatim")
    assert page.ask(SHOWN)["sheets"] == [one for one in whole if "averaging" not in one]
    # Names stay in sight while pictures scroll by below a telephone's width.
    narrow = open_page(width=390, height=900)
    narrow.ask("document.querySelector('#pictures .wide').scrollLeft = 300")
    left = narrow.ask("document.querySelector('.sheet th[scope=row]').getBoundingClientRect().left")
    inside = narrow.ask("document.querySelector('#pictures .wide').getBoundingClientRect().left")
    assert abs(left - inside) < 3, (left, inside)
    for scheme in ("light", "dark"):
        narrow.show_as(scheme=scheme)
        weak = {name: ratio for name, ratio in narrow.ask(CONTRASTS).items() if ratio < 4.5}
        assert not weak and narrow.ask(CUT) == [], (weak, narrow.ask(CUT))


def test_keyboard_goes_down_the_page(claims, open_page):
    """Each step of the tabulator lies in or below the section of the one before, none is a trap, and
    where the focus is can be seen."""
    page = open_page()
    where = ("(() => { const one = document.activeElement;"
             " const section = one.closest('section, nav, header, .filters');"
             " return { place: Array.from(document.querySelectorAll('header, nav, section, .filters'))"
             "              .indexOf(section),"
             "          tag: one.tagName, outline: getComputedStyle(one).outlineStyle }; })()")
    places, last = [], None
    for _ in range(300):
        page.press("TAB")
        last = page.ask(where)
        if last["tag"] == "BODY":
            break
        assert last["outline"] != "none", last
        places.append(last["place"])
    assert last["tag"] == "BODY", f"{len(places)} steps do not leave the page: {places[-9:]}"
    assert places == sorted(places) and len(set(places)) > 5, places


def test_first_printed_page_has_the_first_verdict(sandbox, open_page):
    """However long the table of the claim's cells is: it goes on over the pages."""
    run(sandbox, many() + CLAIMS, code=1)
    pdf = base64.b64decode(open_page().call("Page.printToPDF")["data"])
    first = printed.pages(pdf)[0]
    for words in ("Verdicts", "lifting-hides", "the claim allows", "Witness"):
        assert words in first, first


def test_numbers_are_near_their_names_on_a_phone(sandbox, open_page):
    """An estimate is seen beside its measure, and the name of a row stays while its numbers scroll."""
    run(sandbox, many() + CLAIMS, code=1)
    page = open_page(width=390, height=900)
    edges = ("(() => { const box = document.querySelector('#measurements tbody tr').cells[4]"
             ".getBoundingClientRect(); return [box.left, box.right]; })()")
    left, right = page.ask(edges)
    assert 0 < left < right <= 390, (left, right)
    page.ask("document.querySelectorAll('#headlines .wide').forEach("
             "(one) => { one.scrollLeft = one.scrollWidth; })")
    rows = page.ask("Array.from(document.querySelectorAll('#headlines .wide'), (one) => ["
                    "one.scrollLeft, one.querySelector('tbody td').getBoundingClientRect().left"
                    " - one.getBoundingClientRect().left])")
    assert any(scrolled > 20 for scrolled, _ in rows), rows
    assert all(abs(apart) < 3 for _, apart in rows), rows

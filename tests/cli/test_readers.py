"""report.html and comparison.html by the rules that a checker of web pages applies: contrast, nothing cut,
alternatives for pictures, headings in order, every control with a name and within reach of the
keyboard."""

import pytest

from page_rules import CONTRASTS, CUT, DRAWN, STRUCTURE, WIDTHS, faults_of_steps
from test_html import CLAIMS, many, run
from test_pictures import FACES
import tiny


@pytest.fixture(params=("claims", "long", "pictures"))
def page_of(request, sandbox, open_page):
    """Opens the report of a run with claims and curves, of one with long tables, of one with pictures."""
    if request.param == "pictures":
        sandbox.write("faces.scenario", FACES)
        sandbox.run_ok("faces.scenario", "--out", "out", "--quiet", "--trials", "1")
    else:
        run(sandbox, (many() if request.param == "long" else tiny.SCENARIO) + CLAIMS, code=1)
    return open_page


def unfold(page):
    page.ask("document.querySelectorAll('details').forEach((one) => { one.open = true; })")


def test_structure(page_of):
    page = page_of()
    unfold(page)
    assert page.ask(STRUCTURE) == [], page.ask(STRUCTURE)


@pytest.mark.parametrize("width", WIDTHS)
def test_all_is_readable_and_nothing_is_cut(page_of, width):
    """With everything unfolded, in both schemes, words in drawings too."""
    page = page_of(width=width, height=900)
    unfold(page)
    for scheme in ("light", "dark"):
        page.show_as(scheme=scheme)
        weak = {name: ratio for name, ratio in page.ask(CONTRASTS).items() if ratio < 4.5}
        assert not weak, f"{scheme}: {weak}"
        drawn = page.ask(DRAWN)
        assert min(drawn, default=99) >= 4.5, f"{scheme}: {sorted(drawn)[:9]}"
        assert page.ask(CUT) == [], f"{scheme}: {page.ask(CUT)}"
        assert page.ask("document.documentElement.scrollWidth") <= width, scheme


@pytest.mark.parametrize("width", (390, 1280))
def test_keyboard(page_of, width):
    page = page_of(width=width, height=900)
    page.show_as()
    steps, faults = faults_of_steps(page)
    assert steps > 20 and faults == [], (steps, faults[:5])


def test_comparison(sandbox, browser):
    from browser import Page
    run(sandbox, tiny.SCENARIO + CLAIMS, code=1)
    sandbox.run_ok("tiny.scenario", "--out", "other", "--quiet", "--set",
                   "defense lifting.variant=random", code=1)
    sandbox.expect(sandbox.assay("compare", "out", "other", "--out", "both"))
    page = Page(browser, sandbox.path / "both" / "comparison.html")
    page.show_as()
    unfold(page)
    assert page.ask(STRUCTURE) == [], page.ask(STRUCTURE)
    assert faults_of_steps(page)[1] == []


BROKEN = (
    ("document.querySelector('h2').outerHTML = '<h4>deep</h4>'", "h4 below h1"),
    ("document.querySelector('h1').outerHTML = '<p>none</p>'", "0 h1"),
    ("document.body.append(document.createElement('img'))", "no alt"),
    ("document.querySelector('svg').removeAttribute('aria-label')", "no name: <svg"),
    ("document.querySelector('input').removeAttribute('aria-label')", "no label"),
    ("document.querySelector('#pooled').id = 'claims'", "leads nowhere"),
    ("document.querySelector('summary').tabIndex = 3", "jumps the order"),
)


def test_faults_are_found(sandbox, open_page):
    """Each rule fails a page that breaks it."""
    run(sandbox, many() + CLAIMS, code=1)
    for breaks, says in BROKEN:
        page = open_page()
        page.ask(f"void ({breaks})")
        assert any(one.startswith(says) for one in page.ask(STRUCTURE)), (says, page.ask(STRUCTURE))
    page = open_page()
    page.ask("document.querySelector('#settings summary, #pooled input').tabIndex = 1")
    assert any(one.startswith("goes back") for one in faults_of_steps(page)[1])
    page = open_page()
    page.ask("document.styleSheets[0].insertRule('.filters select { outline: none !important }',"
             " document.styleSheets[0].cssRules.length)")
    assert any(one.startswith("is not seen: <select") for one in faults_of_steps(page)[1])

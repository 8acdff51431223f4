"""What is asked of every page that people read, in the browser: contrast, nothing cut, names for those who
do not see it, an order for those who have no mouse. Each is a JavaScript expression."""

WIDTHS = (390, 768, 1280)

# Elements whose words or boxes reach beyond the page, or beyond a box that does not scroll.
CUT = r"""(() => {
    const width = document.documentElement.clientWidth;
    const found = [];
    const scrolls = (one) => one.closest('.wide, .skip') !== null;
    for (const one of document.querySelectorAll('body *:not(script)')) {
        const box = one.getBoundingClientRect();
        if (box.width === 0 || box.height === 0 || scrolls(one)) continue;
        if (box.right > width + 1 || box.left < -1)
            found.push(`${one.tagName}.${one.getAttribute('class')} ${box.left} to ${box.right}`);
        const style = getComputedStyle(one);
        if (style.overflowX === 'hidden' && one.scrollWidth > one.clientWidth + 1)
            found.push(`${one.tagName}.${one.getAttribute('class')} hides its end`);
    }
    return found;
})()"""

# The least contrast of what has text, by WCAG 2, with the nearest background behind it.
CONTRASTS = r"""(() => {
    const parts = (text) => (text.match(/[\d.]+/g) || []).map(Number);
    const light = (text) => {
        const [r, g, b] = parts(text).slice(0, 3).map((c) => c / 255)
            .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (one) => {
        for (; one !== null; one = one.parentElement) {
            const colour = getComputedStyle(one).backgroundColor;
            if (parts(colour).length === 3) return colour;
        }
        return 'rgb(255, 255, 255)';
    };
    const found = {};
    for (const one of document.querySelectorAll('body *:not(script, svg, svg *)')) {
        if (!Array.from(one.childNodes).some((n) => n.nodeType === 3 && n.data.trim() !== ''))
            continue;
        const [a, b] = [light(getComputedStyle(one).color), light(behind(one))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        const name = one.tagName + '.' + one.className;
        found[name] = Math.min(found[name] ?? 99, ratio);
    }
    return found;
})()"""


# The same of the words in pictures, some of which have the colours of lines.
DRAWN = r"""(() => {
    const light = (text) => {
        const [r, g, b] = text.match(/[\d.]+/g).slice(0, 3).map((c) => Number(c) / 255)
            .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const paper = light(getComputedStyle(document.documentElement).backgroundColor
        .replace('rgba(0, 0, 0, 0)', getComputedStyle(document.body).backgroundColor));
    const found = [];
    for (const one of document.querySelectorAll('.curve text')) {
        const style = getComputedStyle(one);
        for (const colour of [style.fill, style.stroke]) {
            if (!colour.startsWith('rgb(')) continue;
            const a = light(colour);
            found.push((Math.max(a, paper) + 0.05) / (Math.min(a, paper) + 0.05));
        }
    }
    return found;
})()"""

# Faults of the page's structure, in words.
STRUCTURE = r"""(() => {
    const found = [];
    const all = (selector) => Array.from(document.querySelectorAll(selector));
    const of = (one) => one.outerHTML.slice(0, 90);
    const name = (one) => (one.getAttribute('aria-label') ?? one.textContent).trim();
    if (document.documentElement.lang === '') found.push('no language');
    if (document.title.trim() === '') found.push('no title');
    if (all('main').length !== 1) found.push(`${all('main').length} main`);
    if (all('h1').length !== 1) found.push(`${all('h1').length} h1`);
    let above = 0;
    for (const one of all('h1, h2, h3, h4, h5, h6')) {
        const level = Number(one.tagName[1]);
        if (level > above + 1) found.push(`h${level} below h${above}: ${of(one)}`);
        if (name(one) === '') found.push(`says nothing: ${of(one)}`);
        above = level;
    }
    for (const one of all('img'))
        if ((one.getAttribute('alt') ?? '').trim() === '') found.push(`no alt: ${of(one)}`);
    for (const one of all('svg'))
        if (!['img', 'group'].includes(one.getAttribute('role')) || !one.hasAttribute('aria-label'))
            found.push(`no name: ${of(one)}`);
    for (const one of all('a, button, summary, [role=region], [tabindex]'))
        if (name(one) === '') found.push(`no name: ${of(one)}`);
    for (const one of all('input, select'))
        if (!one.hasAttribute('aria-label') && one.labels.length === 0)
            found.push(`no label: ${of(one)}`);
    for (const one of all('a[href^="#"]'))
        if (document.getElementById(one.hash.slice(1)) === null) found.push(`leads nowhere: ${of(one)}`);
    for (const one of all('th'))
        if (!['col', 'row'].includes(one.scope)) found.push(`no scope: ${of(one)}`);
    for (const one of all('[tabindex]'))
        if (one.tabIndex > 0) found.push(`jumps the order: ${of(one)}`);
    const ids = all('[id]').map((one) => one.id);
    for (const id of new Set(ids))
        if (ids.filter((one) => one === id).length > 1) found.push(`twice: ${id}`);
    return found;
})()"""

# One step of the tabulator: what is wrong with where it led; null: it left the page.
STEP = r"""(() => {
    const now = document.activeElement, last = window.lastStep;
    if (now === document.body) return null;
    window.lastStep = now;
    const found = [], of = now.outerHTML.slice(0, 90), box = now.getBoundingClientRect();
    if (getComputedStyle(now).outlineStyle === 'none') found.push(`is not seen: ${of}`);
    if (last && !(last.compareDocumentPosition(now) & Node.DOCUMENT_POSITION_FOLLOWING))
        found.push(`goes back: ${of}`);
    if (box.width === 0 || box.right <= 0 || box.left >= innerWidth || box.bottom <= 0
        || box.top >= innerHeight)
        found.push(`is out of sight: ${of}`);
    return found;
})()"""


def faults_of_steps(page, most=600):
    """Goes through the whole page by the tabulator. Returns the number of steps, and what was wrong."""
    page.ask("window.lastStep = undefined, document.activeElement.blur(), scrollTo(0, 0)")
    found = []
    for step in range(most):
        page.press("TAB")
        wrong = page.ask(STEP)
        if wrong is None:
            return step, found
        found += wrong
    return most, found + ["the page is not left"]

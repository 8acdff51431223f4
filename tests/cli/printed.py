"""The words of a PDF that Chromium prints: Skia's, whose fonts say which glyph is which letter."""

import re
import zlib


def _stream(part):
    # By its length: compressed bytes may end as a line does.
    begin = re.search(rb"stream\r?\n", part).end()
    raw = part[begin:begin + int(re.search(rb"/Length (\d+)(?! \d+ R)", part).group(1))]
    return zlib.decompress(raw) if b"FlateDecode" in part else raw


def _letters(table):
    """{glyph: letters} of a ToUnicode table."""
    letters = {}
    for block in re.findall(rb"beginbfchar(.*?)endbfchar", table, re.S):
        for glyph, text in re.findall(rb"<(\w+)>\s*<(\w+)>", block):
            letters[int(glyph, 16)] = bytes.fromhex(text.decode()).decode("utf-16-be")
    for block in re.findall(rb"beginbfrange(.*?)endbfrange", table, re.S):
        for first, last, text in re.findall(rb"<(\w+)>\s*<(\w+)>\s*<(\w+)>", block):
            for i in range(int(last, 16) - int(first, 16) + 1):
                letters[int(first, 16) + i] = chr(int(text, 16) + i)
    return letters


def pages(pdf):
    """The text of each page, in the order in which it is painted."""
    objects = {int(number): part for number, part in
               re.findall(rb"(?:^|\n)(\d+) 0 obj\n?(.*?)\nendobj", pdf, re.S)}
    fonts, texts = {}, []
    for number, part in objects.items():
        named = re.search(rb"/ToUnicode\s+(\d+) 0 R", part)
        if named is not None:
            fonts[number] = _letters(_stream(objects[int(named.group(1))]))
    for _, part in sorted(objects.items()):
        if re.search(rb"/Type\s*/Page\b(?!s)", part) is None:
            continue
        names = {name: fonts.get(int(number), {})
                 for name, number in re.findall(rb"/(F\d+)\s+(\d+) 0 R", part)}
        content = int(re.search(rb"/Contents\s+(\d+) 0 R", part).group(1))
        text, letters = [], {}
        for font, glyphs in re.findall(rb"/(F\d+) [\d.]+ Tf|<([0-9A-Fa-f]+)>",
                                       _stream(objects[content])):
            if font:
                letters = names.get(font, {})
            else:
                text += [letters.get(int(glyphs[i:i + 4], 16), "?")
                         for i in range(0, len(glyphs), 4)]
        texts.append("".join(text))
    return texts

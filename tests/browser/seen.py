"""What a careful reader of a page would mind, on a screen and on paper: each function lists faults.

Every function takes the page that is open, in the window and colours it has now, and returns one
line of text for each fault. `on_screen` and `on_paper` ask all of them.
"""

from collections.abc import Sequence

from playwright.sync_api import Page

PAPER_WIDTH, PAPER_HEIGHT = 673, 986
"""The room between the margins of A4 in pixels."""

MOST = 8
"""Maximum number of faults of one kind that are listed."""

LEAST_TICKS = 3
"""Minimum number of numbers of an axis."""

MOST_COLUMNS, WINDOW = 12, 1280
"""A table of rows with at most so many columns is whole in a window of this width."""

LEAST_CONTRAST = {"mark": 3.0, "text": 4.5}
"""Minimum contrast of a mark of a chart and of its text (WCAG 2.1, 1.4.11 and 1.4.3)."""

COMMON = """
  const unseen = new Map();
  const hidden = one => {  // what only a screen reader meets
    if (!one) return false;
    if (!unseen.has(one)) unseen.set(one,
      getComputedStyle(one).clipPath === "inset(50%)" || hidden(one.parentElement));
    return unseen.get(one);
  };
  const shown = one => one.checkVisibility({visibilityProperty: true, opacityProperty: true})
    && !one.closest(".skip") && !hidden(one);
  const named = one => one.outerHTML.slice(0, 90).replace(/\\s+/g, " ");
  const texts = function* () {
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const node = walk.currentNode, parent = node.parentElement;
      if (node.data.trim() && !parent.closest("script, style, title, desc, option, template")
          && shown(parent)) yield [node, parent];
    }
  };
  const boxes = node => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()].filter(box => box.width > 0.5);
  };
"""

SIDEWAYS = f"""() => {{ {COMMON}
  const wide = document.documentElement.scrollWidth, room = document.documentElement.clientWidth;
  if (wide <= room) return [];
  const far = [...document.body.querySelectorAll("*")].filter(
    one => shown(one) && one.getBoundingClientRect().right > room + 1);
  return ["the page is " + wide + " wide in a window of " + room, ...far.map(named)];
}}"""

CLIPPED = f"""() => {{ {COMMON}
  const found = [];
  for (const [node, parent] of texts()) {{
    if (parent.closest("svg")) continue;
    const caption = parent.closest("caption");
    for (const box of boxes(node)) {{
      let fault = "";
      const cell = parent.closest("td, th");
      if (cell) {{
        const room = cell.getBoundingClientRect();
        if (box.right > room.right + 2 || box.left < room.left - 2) fault = "out of its cell";
      }}
      for (let over = parent; over && over !== document.documentElement && !fault;
           over = over.parentElement) {{
        const look = getComputedStyle(over), room = over.getBoundingClientRect();
        const across = box.right > room.right + 1 || box.left < room.left - 1;
        const down = box.bottom - 0.35 * box.height > room.bottom;
        if (/hidden|clip/.test(look.overflowX) && across) fault = "cut sideways";
        if (/hidden|clip/.test(look.overflowY) && down && !over.title) fault = "cut below";
        if (/auto|scroll/.test(look.overflowX)) {{
          const edge = room.left + over.clientLeft + over.clientWidth + 1;
          if (caption && box.right + over.scrollLeft > edge) fault = "a caption that scrolls away";
          else if (across && !over.matches("[tabindex], pre, textarea")
                   && !over.querySelector("a, button, input"))
            fault = "scrolls and takes no focus";
          break;
        }}
      }}
      if (fault) {{ found.push(fault + ": " + node.data.trim().slice(0, 80)); break; }}
    }}
  }}
  return found;
}}"""

BROKEN = f"""() => {{ {COMMON}
  const found = [], range = document.createRange();
  const TOKEN = /(?<!\\S)\\S{{3,24}}(?!\\S)/gu;
  const WORD = /(?<![\\p{{L}}\\p{{N}}_])\\p{{L}}{{3,14}}(?![\\p{{L}}\\p{{N}}_])/gu;
  for (const [node, parent] of texts()) {{
    if (parent.closest("svg, code, pre") || boxes(node).length < 2) continue;
    if (node.data.includes("\u00ad")) continue;
    for (const token of node.data.matchAll(TOKEN)) for (const word of token[0].matchAll(WORD)) {{
      range.setStart(node, token.index + word.index);
      range.setEnd(node, token.index + word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
      if (lines.size > 1) found.push(word[0]);
    }}
  }}
  return found;
}}"""

OVERLAID = f"""() => {{ {COMMON}
  const found = [], rows = new Map();
  for (const [node, parent] of texts()) {{
    const cell = parent.closest("th, td");
    if (!cell || parent.closest("svg")) continue;
    const row = rows.get(cell.parentElement) || [];
    rows.set(cell.parentElement, row);
    let floor = Infinity;  // of a box that shows its first lines
    for (let over = parent; over !== cell.parentElement; over = over.parentElement)
      if (/hidden|clip/.test(getComputedStyle(over).overflowY))
        floor = Math.min(floor, over.getBoundingClientRect().bottom);
    for (const box of boxes(node).filter(box => box.top < floor - 4)) {{
      const under = row.find(([other, its]) => other !== cell
        && Math.min(box.right, its.right) - Math.max(box.left, its.left) > 1
        && Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top) > 4);
      if (under) found.push(under[0].textContent.trim() + " / " + node.data.trim());
      row.push([cell, box]);
    }}
  }}
  return found;
}}"""

HIDDEN_COLUMNS = f"""most => {{ {COMMON}
  const found = [];
  for (const table of document.querySelectorAll("table[data-rows]")) {{
    const heads = table.tHead ? [...table.tHead.rows[0].cells] : [];
    const region = table.closest(".scroll");
    if (!region || !shown(table) || heads.length > most) continue;
    const edge = region.getBoundingClientRect().left + region.clientLeft + region.clientWidth + 1;
    const out = heads.filter(head => head.getBoundingClientRect().right > edge);
    if (out.length) found.push(out.map(head => head.textContent.trim()).join(", "));
  }}
  return found;
}}"""

BACKTICKS = f"""() => {{ {COMMON}
  const found = [];
  for (const [node, parent] of texts())
    if (node.data.includes("`") && !parent.closest("pre, code, textarea"))
      found.push(node.data.trim().slice(0, 120));
  for (const one of document.querySelectorAll("[title], [aria-label], [placeholder]"))
    for (const name of ["title", "aria-label", "placeholder"])
      if ((one.getAttribute(name) || "").includes("`"))
        found.push(name + ": " + one.getAttribute(name));
  if (document.title.includes("`")) found.push(document.title);
  return found;
}}"""

TICKS = f"""least => {{ {COMMON}
  const found = [];
  const say = (one, texts) => {{
    const about = one.closest("figure, table, svg"), name = about && (about.querySelector(
      "caption, figcaption, [aria-label], title") || about);
    found.push("an axis with " + (texts.join(", ") || "no numbers") + ": "
      + (name ? (name.getAttribute("aria-label") || name.textContent).trim().slice(0, 80) : ""));
  }};
  for (const one of document.querySelectorAll("[data-axis]")) {{
    if (!shown(one)) continue;
    const numbers = new Set([...one.querySelectorAll("text")].map(text => text.textContent.trim()));
    if (numbers.size < least) say(one, [...numbers]);
  }}
  for (const one of document.querySelectorAll("svg .role-axis-label")) {{
    const words = [...one.querySelectorAll("text")].map(text => text.textContent.trim());
    const number = /^[−-]?[\\d.,·⁰¹²³⁴⁵⁶⁷⁸⁹⁻%kMe]+$/;
    const numbers = words.length && words.every(text => number.test(text));
    if (shown(one) && numbers && new Set(words).size < least
        && !one.closest("[aria-roledescription='legend']")) say(one, words);
  }}
  return found;
}}"""

UNMARKED_AXES = f"""() => {{ {COMMON}
  return [...document.querySelectorAll("svg.axis, .trend > svg, .scatter > svg")]
    .filter(one => shown(one) && !one.matches("[data-axis]") && !one.querySelector("[data-axis]"))
    .map(named);
}}"""

FAINT = f"""least => {{ {COMMON}
  const context = new OffscreenCanvas(1, 1).getContext("2d", {{willReadFrequently: true}});
  const colour = text => {{
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = text;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  }};
  const over = ([r, g, b, a], under, more = 1) =>
    [r, g, b].map((one, at) => one * a * more + under[at] * (1 - a * more));
  const light = parts => {{
    const [r, g, b] = parts.map(one => one / 255)
      .map(one => one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }};
  const contrast = (one, two) => {{
    const [a, b] = [light(one), light(two)];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }};
  const ground = one => {{
    for (let at = one; at; at = at.parentElement) {{
      const found = colour(getComputedStyle(at).backgroundColor);
      if (found[3] > 0.99) return found.slice(0, 3);
    }}
    return document.documentElement.matches(":root")
      && matchMedia("(prefers-color-scheme: dark)").matches && !matchMedia("print").matches
      ? [18, 18, 18] : [255, 255, 255];
  }};
  const found = new Map(), note = (kind, one, best) => {{
    const key = kind + " " + one.tagName + "." + (one.getAttribute("class")
      || one.parentElement.getAttribute("class") || "");
    if (best < least[kind] && best < (found.get(key) ?? 99)) found.set(key, best);
  }};
  const marks = "svg :is(rect, circle, path, line, polyline, polygon)";
  for (const one of document.querySelectorAll(marks)) {{
    // Lines of the grid only guide; of an area below a curve the edge is the mark.
    if (one.closest(".grid, .drawing, defs, .otherwise, .core, .dial") || !shown(one)) continue;
    if (one.closest(".turn, .hub")) continue;
    const look = getComputedStyle(one), under = ground(one.ownerSVGElement);
    const seen = [];
    if (look.fill !== "none" && !/^(line|polyline)$/.test(one.tagName))
      seen.push(over(colour(look.fill), under, Number(look.fillOpacity)));
    if (look.stroke !== "none" && parseFloat(look.strokeWidth) > 0)
      seen.push(over(colour(look.stroke), under, Number(look.strokeOpacity)));
    if (seen.length) note("mark", one, Math.max(...seen.map(each => contrast(each, under))));
  }}
  for (const one of document.querySelectorAll("svg text")) {{
    if (!shown(one) || one.closest(".drawing, .spots, .networked")) continue;
    const under = ground(one.ownerSVGElement);
    note("text", one, contrast(over(colour(getComputedStyle(one).fill), under), under));
  }}
  return [...found].map(([key, best]) => key + ": " + best.toFixed(2));
}}"""

PAPER = f"""room => {{ {COMMON}
  const found = [];
  const plain = one => one.matches("input[type=text], select") && one.value.trim()
    && parseFloat(getComputedStyle(one).borderTopWidth) === 0
    && one.scrollWidth <= one.clientWidth + 1;  // the value is text on paper
  for (const one of document.querySelectorAll("input, select, textarea, button:not(.word)"))
    if (shown(one) && one.getBoundingClientRect().width > 0 && !plain(one))
      found.push("a field: " + named(one));
  const far = box => box.right > room + 1.5 || box.left < -1.5;
  for (const [node, parent] of texts()) {{
    const box = boxes(node).find(far);
    if (box)
      found.push(Math.round(box.right) + " of " + room + ": " + node.data.trim().slice(0, 80));
  }}
  for (const one of document.querySelectorAll("svg, table, img"))
    if (shown(one) && one.getBoundingClientRect().width && far(one.getBoundingClientRect()))
      found.push("wider than the paper: " + named(one));
  return found;
}}"""

HEADLESS = f"""() => {{ {COMMON}
  const tall = [...document.querySelectorAll("table:not(.bars)")].filter(
    one => shown(one) && one.getBoundingClientRect().height > {PAPER_HEIGHT});
  return tall.filter(one => !one.tHead
    || getComputedStyle(one.tHead).display !== "table-header-group").map(named);
}}"""

ROWS = f"""() => {{ {COMMON}
  return [...document.querySelectorAll("table[data-rows] > tbody > tr")].filter(shown).length;
}}"""

PRINTED_TEXT = f"""() => {{ {COMMON}
  return [...texts()].map(([node]) => node.data.trim()).join(" ");
}}"""


def _faults(page: Page, script: str, argument: object = None) -> list[str]:
    found: list[str] = page.evaluate(script, argument)
    more = [f"and {len(found) - MOST} more"] if len(found) > MOST else []
    return found[:MOST] + more


def sideways(page: Page) -> list[str]:
    """The page itself scrolls sideways, and the elements that reach beyond the window."""
    return [f"too wide: {one}" for one in _faults(page, SIDEWAYS)]


def clipped(page: Page) -> list[str]:
    """Text that is cut by its box or leaves its cell, and captions that scroll out of sight.

    A table may be wider than its region if the region scrolls and takes the keyboard's focus.
    """
    return [f"clipped: {one}" for one in _faults(page, CLIPPED)]


def broken_words(page: Page) -> list[str]:
    """Words of ordinary length that begin on one line and end on another.

    Longer texts without a space, such as an address, are broken anywhere.
    """
    return [f"broken: {one}" for one in _faults(page, BROKEN)]


def overlaid(page: Page) -> list[str]:
    """Texts of two cells of a row that lie over each other."""
    return [f"over each other: {one}" for one in _faults(page, OVERLAID)]


def hidden_columns(page: Page) -> list[str]:
    """Columns of a table of rows that are out of sight in a wide window."""
    size = page.viewport_size
    if size is None or size["width"] < WINDOW:
        return []
    return [f"out of sight: {one}" for one in _faults(page, HIDDEN_COLUMNS, MOST_COLUMNS)]


def literal_backticks(page: Page) -> list[str]:
    """Backticks outside code, in texts, titles and labels: markup that was not rendered."""
    return [f"backtick: {one}" for one in _faults(page, BACKTICKS)]


def few_ticks(page: Page) -> list[str]:
    """Axes of numbers with fewer than three different numbers, and axes that cannot be counted."""
    marked = _faults(page, TICKS, LEAST_TICKS)
    return [*marked, *(f"an axis without its mark: {one}" for one in _faults(page, UNMARKED_AXES))]


def faint(page: Page) -> list[str]:
    """Marks and texts of charts whose contrast with their ground is too low, in these colours."""
    return [f"faint: {one}" for one in _faults(page, FAINT, LEAST_CONTRAST)]


def off_paper(page: Page) -> list[str]:
    """What is wider than the paper, form fields, and long tables whose heads do not repeat.

    The page must be on paper (`put_on_paper`).
    """
    found = [f"on paper: {one}" for one in _faults(page, PAPER, PAPER_WIDTH)]
    return [*found, *(f"no repeated head: {one}" for one in _faults(page, HEADLESS))]


def unprinted(page: Page, rows: int = 0, words: Sequence[str] = ()) -> list[str]:
    """Rows and words that paper lacks; the page must be on paper (`put_on_paper`).

    Counted are the rows of tables with `data-rows`. A view of published numbers states its source
    in an element `.source`.
    """
    there: int = page.evaluate(ROWS)
    text = " ".join(str(page.evaluate(PRINTED_TEXT)).split())
    found = [f"printed are {there} of {rows} rows"] if there < rows else []
    return found + [f"not printed: {one}" for one in words if " ".join(one.split()) not in text]


def unsourced(page: Page) -> list[str]:
    """Paper without a visible line that states its source (`.source`)."""
    seen = page.locator(".source").filter(visible=True).count()
    return [] if seen else ["printed without a source"]


def put_on_paper(page: Page) -> None:
    """The page as a browser prints it: its print styles, A4, and what `beforeprint` adds."""
    page.set_viewport_size({"width": PAPER_WIDTH, "height": PAPER_HEIGHT})
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")


def take_off_paper(page: Page, width: int = 1280, height: int = 900) -> None:
    """The page back on a screen."""
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="null")
    page.set_viewport_size({"width": width, "height": height})


def on_screen(page: Page) -> list[str]:
    """All faults of a page on a screen, in the window and colours it has now."""
    return [
        fault
        for look in (
            *(sideways, clipped, hidden_columns, broken_words, overlaid),
            *(literal_backticks, few_ticks, faint),
        )
        for fault in look(page)
    ]


def on_paper(page: Page, rows: int = 0, words: Sequence[str] = ()) -> list[str]:
    """All faults of the printed page; afterwards it is on a screen of 1280 by 900 again."""
    put_on_paper(page)
    found = [
        *off_paper(page),
        *broken_words(page),
        *overlaid(page),
        *literal_backticks(page),
        *unprinted(page, rows, words),
    ]
    take_off_paper(page)
    return found

"use strict";
// Sorting, searching, paging and filtering of the report's tables. Without it every table still
// stands; a long one then shows its first rows. Text reaches the page as text alone (textContent).
(function () {
  const PAGE = 50;
  const MOST_PRINTED = 2000;
  const collator = new Intl.Collator("en", { numeric: true });
  const views = [];

  // The exact number of a cell where it has one, its text otherwise.
  function valueOf(cell, isNumber) {
    const exact = cell.querySelector("[data-value]");
    const text = exact === null ? cell.textContent : exact.dataset.value;
    return isNumber ? Number.parseFloat(text) : text;
  }

  function domSource(table, isNumber) {
    const rows = Array.from(table.tBodies[0].rows);
    return {
      length: rows.length,
      text: (i) => Array.from(rows[i].cells, (cell) => cell.textContent).join(" "),
      value: (i, column) => valueOf(rows[i].cells[column], isNumber[column]),
      row: (i) => rows[i],
    };
  }

  // Rows of numbers, and of places in the list of words.
  function dataSource(data, isNumber) {
    const show = (value, column) =>
      isNumber[column] ? (value === null ? "\u2013" : String(value)) : data.words[value];
    return {
      length: data.rows.length,
      text: (i) => data.rows[i].map(show).join(" "),
      value: (i, column) => {
        const value = data.rows[i][column];
        return isNumber[column] ? (value === null ? Number.NaN : value) : data.words[value];
      },
      row: (i) => {
        const row = document.createElement("tr");
        data.rows[i].forEach((value, column) => {
          const cell = row.insertCell();
          cell.textContent = show(value, column);
          if (isNumber[column]) cell.className = "n";
          else cell.dir = "auto";
        });
        return row;
      },
    };
  }

  // What is not known stands last, whichever way the rest is sorted.
  function comparison(source, column, isNumber, direction) {
    const values = Array.from({ length: source.length }, (_, i) => source.value(i, column));
    if (!isNumber) return (a, b) => direction * collator.compare(values[a], values[b]) || a - b;
    return (a, b) => {
      const left = Number.isNaN(values[a]), right = Number.isNaN(values[b]);
      if (left || right) return left - right || a - b;
      return direction * (values[a] - values[b]) || a - b;
    };
  }

  function button(text, action) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", action);
    return made;
  }

  function count(number) {
    return number.toLocaleString("en");
  }

  class View {
    constructor(table) {
      const data = document.getElementById(`${table.id}-data`);
      this.table = table;
      this.heads = Array.from(table.tHead.rows[0].cells);
      this.isNumber = this.heads.map((head) => head.classList.contains("n"));
      this.source = data === null ? domSource(table, this.isNumber)
        : dataSource(JSON.parse(data.textContent), this.isNumber);
      this.order = Array.from({ length: this.source.length }, (_, i) => i);
      this.column = -1;
      this.direction = 1;
      this.page = 0;
      this.words = [];
      this.kept = () => true;
      this.isWhole = false;
      this.heads.forEach((head, column) => this.makeSortable(head, column));
      if (this.source.length > 12) this.addTools();
      if (this.source.length > PAGE) this.show();
    }

    makeSortable(head, column) {
      const sort = button(head.textContent, () => this.sort(column));
      head.replaceChildren(sort);
    }

    addTools() {
      const tools = document.createElement("div");
      const search = document.createElement("input");
      tools.className = "tools";
      search.type = "search";
      search.placeholder = "Show rows with these words";
      search.setAttribute("aria-label", search.placeholder);
      search.addEventListener("input", () => this.filter(search.value));
      this.status = document.createElement("span");
      this.status.setAttribute("role", "status");
      tools.append(search, this.status);
      if (this.source.length > PAGE) {
        this.before = button("Previous", () => this.turn(-1));
        this.after = button("Next", () => this.turn(1));
        tools.append(this.before, this.after);
      }
      this.table.parentElement.before(tools);
      this.table.closest("section").querySelectorAll(".without-script").forEach((one) => one.remove());
      this.say(0, this.source.length, this.source.length);
    }

    sort(column) {
      this.direction = this.column === column ? -this.direction : 1;
      this.column = column;
      this.page = 0;
      this.heads.forEach((head, i) => {
        if (i === column)
          head.setAttribute("aria-sort", this.direction > 0 ? "ascending" : "descending");
        else head.removeAttribute("aria-sort");
      });
      this.order.sort(comparison(this.source, column, this.isNumber[column], this.direction));
      this.show();
    }

    filter(text) {
      this.words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
      this.page = 0;
      this.show();
    }

    turn(by) {
      this.page += by;
      this.show();
    }

    columnOf(...names) {
      const texts = this.heads.map((head) => head.textContent);
      return texts.findIndex((text) => names.includes(text));
    }

    // All of them, shown or not.
    rows() {
      return Array.from({ length: this.source.length }, (_, i) => this.source.row(i));
    }

    keep(kept) {
      this.kept = kept;
      this.page = 0;
      this.show();
    }

    matching() {
      const order = this.order.filter(this.kept);
      if (this.words.length === 0) return order;
      return order.filter((i) => {
        const text = this.source.text(i).toLowerCase();
        return this.words.every((word) => text.includes(word));
      });
    }

    show() {
      const found = this.matching();
      const size = this.isWhole ? MOST_PRINTED : PAGE;
      const first = this.isWhole ? 0 : this.page * PAGE;
      const shown = found.slice(first, first + size);
      this.table.tBodies[0].replaceChildren(...shown.map((i) => this.source.row(i)));
      this.say(first, first + shown.length, found.length);
    }

    say(first, end, found) {
      if (this.status === undefined) return;
      const all = this.source.length;
      this.status.textContent = found === 0 ? `no row of ${count(all)}`
        : `rows ${count(first + 1)} to ${count(end)} of ${count(found)}`
          + (found < all ? `, found among ${count(all)}` : "");
      if (this.before === undefined) return;
      this.before.disabled = first === 0;
      this.after.disabled = end >= found;
    }

    showWhole(isWhole) {
      if (this.source.length <= PAGE || this.isWhole === isWhole) return;
      this.isWhole = isWhole;
      this.show();
    }
  }

  for (const table of document.querySelectorAll("table.sortable")) views.push(new View(table));

  // ---- One defense, one attack, in all tables and contact sheets ----

  // Without a choice, all; a label stands for all of its settings.
  function isOf(name, choice) {
    return choice === "" || name === choice || name.startsWith(`${choice} `)
      || name.startsWith(`${choice}, `);
  }

  // Hides columns whose head (or what it is of) is not wanted; all stay where none is.
  function keepColumns(head, rows, isWanted) {
    const wanted = Array.from(head.cells, (cell, i) => i === 0 || isWanted(cell));
    const isAny = wanted.some((one, i) => i > 0 && one);
    for (const row of [head, ...rows])
      Array.from(row.cells).forEach((cell, i) => { cell.hidden = isAny && !wanted[i]; });
  }

  class Filters {
    constructor(all) {
      const defense = all.columnOf("defense"), attack = all.columnOf("attack or utility");
      this.defense = this.makeChoice("Defense", this.choices(all, defense));
      this.attack = this.makeChoice("Attack or utility", this.choices(all, attack));
      this.status = document.createElement("span");
      this.status.setAttribute("role", "status");
      const tools = document.createElement("div");
      tools.className = "tools filters";
      tools.append(this.defense.label, this.attack.label, this.status);
      document.querySelector("nav").after(tools);
    }

    // Names in the order in which they come; before several settings of one label the label.
    choices(view, column) {
      const names = new Set(), counts = new Map();
      for (let i = 0; i < view.source.length; i += 1) names.add(view.source.value(i, column));
      for (const name of names) {
        const label = name.split(" ")[0];
        counts.set(label, (counts.get(label) ?? 0) + 1);
      }
      const choices = new Set();
      for (const name of names) {
        const label = name.split(" ")[0];
        if (counts.get(label) > 1) choices.add(label);
        choices.add(name);
      }
      return choices;
    }

    makeChoice(what, names) {
      const label = document.createElement("label"), select = document.createElement("select");
      label.append(`${what} `, select);
      for (const name of ["", ...names]) select.add(new Option(name === "" ? "all" : name, name));
      select.addEventListener("change", () => this.apply());
      return { label, select };
    }

    apply() {
      const defense = this.defense.select.value, attack = this.attack.select.value;
      for (const view of views) {
        const ofDefense = view.columnOf("defense");
        const ofAttack = view.columnOf("attack or utility", "attack", "attack that leaks most");
        if (ofDefense < 0 && ofAttack < 0) continue;
        view.keep((i) => (ofDefense < 0 || isOf(view.source.value(i, ofDefense), defense))
          && (ofAttack < 0 || isOf(view.source.value(i, ofAttack), attack)));
        if (view.table.closest("#headlines") !== null)
          keepColumns(view.table.tHead.rows[0], view.rows(),
                      (head) => isOf(head.textContent, attack));
      }
      for (const sheet of document.querySelectorAll("table.sheet"))
        keepColumns(sheet.tHead.rows[0], sheet.tBodies[0].rows,
                    (head) => isOf(head.dataset.defense ?? defense, defense)
                      && isOf(head.dataset.attack ?? attack, attack));
      this.status.textContent = defense === "" && attack === "" ? ""
        : "Tables and pictures below show these alone; verdicts and curves show all.";
    }
  }

  const measurements = views.find((view) => view.table.id === "measurements");
  if (measurements !== undefined && measurements.source.length > 0) {
    const names = new Set(measurements.order.map((i) => measurements.source.value(i, 0)));
    // On a telephone a column that says the same in every row keeps the numbers out of sight.
    measurements.table.classList.toggle("one-dataset", names.size === 1);
    new Filters(measurements);
  }

  // Paper has no pages to turn and nothing to unfold.
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = Array.from(document.querySelectorAll("details:not([open])"));
    for (const one of opened) one.open = true;
    for (const view of views) view.showWhole(true);
  });
  window.addEventListener("afterprint", () => {
    for (const one of opened) one.open = false;
    for (const view of views) view.showWhole(false);
  });
})();

"use strict";
// The range that the axes of a curve show: typed, or drawn with the mouse, and on which scale. What
// gnuplot drew is taken apart once; a range moves its lines and points, and sets new ticks. The
// picture's file, and the page without script, show the whole.
(function () {
  const SVG = "http://www.w3.org/2000/svg";
  const NEAR = 0.05; // of a pixel: coordinates have two digits
  const SMALLEST_DRAG = 8; // pixels
  const LABEL_REACH = 30; // pixels from a point to the words beside it

  function make(parent, name, attributes) {
    const one = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
    parent.append(one);
    return one;
  }

  function shown(number) {
    return String(Number(number.toPrecision(4)));
  }

  // Values from low to high stand on pixels from start to end.
  class Axis {
    constructor(low, high, isLog, start, end) {
      Object.assign(this, { low, high, isLog, start, end });
      this.given = []; // ticks that gnuplot drew: values with their words
    }

    pixel(value) {
      const at = this.isLog ? Math.log(value / this.low) / Math.log(this.high / this.low)
        : (value - this.low) / (this.high - this.low);
      // Nothing at or below 0 has a place on a logarithmic axis.
      return this.start + (Number.isFinite(at) ? at : -2) * (this.end - this.start);
    }

    value(pixel) {
      const at = (pixel - this.start) / (this.end - this.start);
      return this.isLog ? this.low * (this.high / this.low) ** at
        : this.low + at * (this.high - this.low);
    }

    holds(pixel) {
      return pixel >= Math.min(this.start, this.end) - NEAR
        && pixel <= Math.max(this.start, this.end) + NEAR;
    }

    isEdge(pixel) {
      return Math.abs(pixel - this.start) < NEAR || Math.abs(pixel - this.end) < NEAR;
    }

    // Those of the whole, such as the values of a setting, where enough of them are left.
    ticks(whole) {
      const given = whole.isLog === this.isLog
        ? whole.given.filter(({ value }) => value >= this.low && value <= this.high) : [];
      if (given.length > 2) return given;
      return this.newTicks().map((value) => ({ value, says: shown(value) }));
    }

    newTicks() {
      const from = Math.log10(this.low), to = Math.log10(this.high);
      if (!this.isLog || to - from < 0.8) return this.evenTicks();
      const found = [], factors = to - from > 3 ? [1] : [1, 2, 5];
      const step = Math.ceil((to - from) / 7);
      for (let power = Math.floor(from); power <= to; power += step)
        for (const factor of factors) found.push(factor * 10 ** power);
      return found.filter((value) => value >= this.low && value <= this.high);
    }

    // Steps of 1, 2 or 5 times a power of ten.
    evenTicks() {
      const rough = (this.high - this.low) / 6, power = 10 ** Math.floor(Math.log10(rough));
      const step = [1, 2, 5, 10].find((factor) => factor * power >= rough) * power;
      const first = Math.ceil(this.low / step), last = Math.floor(this.high / step + 1e-9);
      return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
    }
  }

  // ---- What gnuplot drew, taken apart ----

  function numbers(text) {
    return (text.match(/-?[\d.]+/g) ?? []).map(Number);
  }

  // "M1,2 L3,4 M5,6 L7,8": lists of points.
  function lines(path) {
    return path.split("M").slice(1).map((one) => {
      const all = numbers(one);
      return Array.from({ length: all.length / 2 }, (_, i) => [all[2 * i], all[2 * i + 1]]);
    });
  }

  function pathOf(all) {
    return all.map((one) => `M${one.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(" L")}`)
      .join(" ");
  }

  // Where the lines of the grid lie: one way they are as long as the frame is wide, the other as it
  // is high. undefined: not a picture that we know.
  function frameOf(grid) {
    const ends = grid.map((one) => lines(one.getAttribute("d"))[0]);
    const flat = ends.find(([a, b]) => a[1] === b[1]), steep = ends.find(([a, b]) => a[0] === b[0]);
    if (flat === undefined || steep === undefined) return undefined;
    return { left: flat[0][0], right: flat[1][0], bottom: steep[0][1], top: steep[1][1] };
  }

  class Picture {
    constructor(curve, svg, grid, frame) {
      const read = (text) => text.split(" ").map(Number);
      const [xLow, xHigh, xLog] = read(curve.dataset.x);
      const [yLow, yHigh, yLog] = read(curve.dataset.y);
      this.curve = curve;
      this.svg = svg;
      this.frame = frame;
      this.x = new Axis(xLow, xHigh, xLog === 1, frame.left, frame.right);
      this.y = new Axis(yLow, yHigh, yLog === 1, frame.bottom, frame.top);
      this.moved = []; // functions that set things to their places
      this.takeTicks(grid);
      this.addClip();
      const drawn = (selector) => Array.from(svg.querySelectorAll(selector))
        .filter((one) => one.closest("defs, clipPath, .ticks") === null);
      for (const one of drawn("path")) this.takePath(one);
      for (const one of drawn("polygon")) this.takePolygon(one);
      this.places = [];
      for (const one of drawn("use")) this.takeMark(one);
      for (const one of drawn("text")) this.takeLabel(one.parentElement);
    }

    // A tick follows its line of the grid; it goes with it once a range is chosen.
    takeTicks(grid) {
      const groups = grid.map((one) => one.parentElement);
      this.oldTicks = groups.flatMap((one) => [one, one.nextElementSibling]);
      for (const one of this.oldTicks) one.classList.add("ticks");
      for (const [i, line] of grid.entries()) {
        const [[[x, y], end]] = lines(line.getAttribute("d"));
        const says = groups[i].nextElementSibling.textContent.trim();
        if (x === end[0]) this.x.given.push({ value: this.x.value(x), says });
        else this.y.given.push({ value: this.y.value(y), says });
      }
    }

    addClip() {
      const { left, right, top, bottom } = this.frame;
      const id = `${this.svg.querySelector("g[id]").id}-frame`;
      const clip = make(this.svg, "clipPath", { id });
      make(clip, "rect", { x: left, y: top, width: right - left, height: bottom - top });
      this.clip = `url(#${id})`;
    }

    isInside([x, y]) {
      return this.x.holds(x) && this.y.holds(y);
    }

    // What reaches from edge to edge, such as the bound of a claim, does so in every range.
    place([x, y]) {
      return [this.x.isEdge(x) ? x : this.newX.pixel(this.x.value(x)),
              this.y.isEdge(y) ? y : this.newY.pixel(this.y.value(y))];
    }

    // The key's part of a line stays where it is.
    takePath(path) {
      const all = lines(path.getAttribute("d"));
      const inside = all.filter((one) => one.every((point) => this.isInside(point)));
      const outside = all.filter((one) => !one.every((point) => this.isInside(point)));
      const isFrame = all.flat().every(([x, y]) => this.x.isEdge(x) && this.y.isEdge(y));
      if (inside.length === 0 || isFrame) return;
      if (outside.length > 0) {
        const key = path.cloneNode();
        key.setAttribute("d", pathOf(outside));
        path.before(key);
      }
      path.setAttribute("clip-path", this.clip);
      this.moved.push(() => {
        path.setAttribute("d", pathOf(inside.map((one) => one.map((point) => this.place(point)))));
      });
    }

    takePolygon(polygon) {
      const all = lines(`M${polygon.getAttribute("points")}`)[0];
      if (!all.every((point) => this.isInside(point))) return;
      polygon.setAttribute("clip-path", this.clip);
      this.moved.push(() => {
        polygon.setAttribute("points", all.map((point) => this.place(point).join(",")).join(" "));
      });
    }

    takeMark(mark) {
      const transform = mark.getAttribute("transform") ?? "";
      const at = transform.startsWith("translate") ? numbers(transform).slice(0, 2)
        : [Number(mark.getAttribute("x")), Number(mark.getAttribute("y"))];
      const hidden = mark.closest(".point") ?? mark;
      if (!this.isInside(at)) return;
      this.places.push({ at, isPoint: hidden !== mark });
      this.moved.push(() => {
        const [x, y] = this.place(at);
        hidden.toggleAttribute("display", false);
        if (!this.isInside([x, y])) {
          hidden.setAttribute("display", "none");
        } else if (transform === "") {
          mark.setAttribute("x", x);
          mark.setAttribute("y", y);
        } else {
          mark.setAttribute("transform", transform.replace(/\([^)]*\)/, `(${x},${y})`));
        }
      });
    }

    // The setting beside a point goes where the point goes.
    takeLabel(label) {
      const transform = label.getAttribute("transform") ?? "";
      const [x, y] = numbers(transform);
      if (!transform.startsWith("translate")) return;
      const far = ({ at }) => Math.hypot(at[0] - x, at[1] - y);
      const near = this.places.reduce((a, b) => (far(a) <= far(b) ? a : b), { at: [-999, -999] });
      if (far(near) > LABEL_REACH) return;
      this.moved.push(() => {
        const to = this.place(near.at);
        label.toggleAttribute("display", false);
        if (!this.isInside(to)) label.setAttribute("display", "none");
        else label.setAttribute("transform",
                                `translate(${x + to[0] - near.at[0]},${y + to[1] - near.at[1]})`);
      });
    }

    // ---- A range ----

    // Each of low, high, isLog.
    show(x, y) {
      const { left, right, top, bottom } = this.frame;
      this.newX = new Axis(x.low, x.high, x.isLog, left, right);
      this.newY = new Axis(y.low, y.high, y.isLog, bottom, top);
      for (const move of this.moved) move();
      const isSame = [[this.x, this.newX], [this.y, this.newY]]
        .every(([a, b]) => a.low === b.low && a.high === b.high && a.isLog === b.isLog);
      for (const one of this.oldTicks) one.toggleAttribute("display", false);
      this.ticks?.remove();
      if (!isSame) this.setTicks();
      this.curve.dispatchEvent(new Event("ranged"));
    }

    setTicks() {
      const { left, right, top, bottom } = this.frame;
      for (const one of this.oldTicks) one.setAttribute("display", "none");
      this.ticks = document.createElementNS(SVG, "g");
      this.ticks.setAttribute("class", "ticks");
      this.svg.querySelector("defs").after(this.ticks);
      for (const { value, says } of this.newX.ticks(this.x)) {
        const at = this.newX.pixel(value);
        make(this.ticks, "path", { d: `M${at},${bottom} V${top}` });
        make(this.ticks, "text", { x: at, y: bottom + 23, "text-anchor": "middle" })
          .textContent = says;
      }
      for (const { value, says } of this.newY.ticks(this.y)) {
        const at = this.newY.pixel(value);
        make(this.ticks, "path", { d: `M${left},${at} H${right}` });
        make(this.ticks, "text", { x: left - 9, y: at + 4.5, "text-anchor": "end" })
          .textContent = says;
      }
    }

    // Of the points: how many are shown, of how many.
    count() {
      const points = this.places.filter((one) => one.isPoint);
      return [points.filter(({ at }) => this.isInside(this.place(at))).length, points.length];
    }

    // The least value above 0 that a point has; undefined: none has. What is nearer to 0 than a
    // tenth of a pixel cannot be told from it.
    leastPositive(axis, which) {
      const zero = axis.isLog ? 0 : (axis.high - axis.low) / Math.abs(axis.end - axis.start) / 10;
      const values = this.places.filter((one) => one.isPoint).map(({ at }) => axis.value(at[which]))
        .filter((value) => value > zero);
      return values.length > 0 ? Math.min(...values) : undefined;
    }
  }

  // ---- How a range is chosen ----

  class AxisTools {
    constructor(axis, name, least, changed) {
      const legend = document.createElement("legend");
      this.axis = axis;
      this.least = least;
      this.box = document.createElement("fieldset");
      legend.textContent = name;
      this.from = this.makeInput("text", changed);
      this.to = this.makeInput("text", changed);
      this.log = this.makeInput("checkbox", changed);
      this.log.disabled = least === undefined && !axis.isLog;
      this.box.append(legend, this.label("from ", this.from), this.label("to ", this.to),
                      this.label(this.log, " logarithmic"));
      this.reset();
    }

    makeInput(type, changed) {
      const input = document.createElement("input");
      input.type = type;
      if (type === "text") input.inputMode = "decimal";
      input.addEventListener("change", () => changed());
      return input;
    }

    label(...parts) {
      const label = document.createElement("label");
      label.append(...parts);
      return label;
    }

    reset() {
      this.log.checked = this.axis.isLog;
      this.set(this.axis.low, this.axis.high);
    }

    set(low, high) {
      this.low = low;
      this.high = high;
      this.from.value = shown(low);
      this.to.value = shown(high);
    }

    // What is typed, or the exact number behind what is shown; a mistake is named.
    read() {
      const number = (input, exact) => input.value === shown(exact) ? exact : Number(input.value);
      let low = number(this.from, this.low);
      const high = number(this.to, this.high);
      if (this.log.checked && low <= 0) low = Math.min(this.least / 1.5, high / 10);
      const isGood = Number.isFinite(low) && Number.isFinite(high) && low < high
        && this.from.value.trim() !== "" && this.to.value.trim() !== "";
      for (const input of [this.from, this.to]) input.setAttribute("aria-invalid", String(!isGood));
      if (!isGood) return undefined;
      this.set(low, high);
      return { low, high, isLog: this.log.checked };
    }
  }

  class Ranges {
    constructor(picture) {
      const { curve } = picture;
      const changed = () => this.apply();
      this.picture = picture;
      this.x = new AxisTools(picture.x, `x: ${curve.dataset.xName}`,
                             picture.leastPositive(picture.x, 0), changed);
      this.y = new AxisTools(picture.y, `y: ${curve.dataset.yName}`,
                             picture.leastPositive(picture.y, 1), changed);
      this.addTools(curve);
      this.watchMouse(picture.svg);
    }

    addTools(curve) {
      const summary = document.createElement("summary"), tools = document.createElement("div");
      const whole = document.createElement("button");
      this.details = document.createElement("details");
      this.details.className = "range";
      summary.textContent = "Range of the axes";
      tools.className = "tools";
      whole.type = "button";
      whole.textContent = "Whole range";
      whole.addEventListener("click", () => this.reset());
      this.status = document.createElement("span");
      this.status.setAttribute("role", "status");
      this.status.textContent = "A range can be drawn with the mouse, too.";
      tools.append(this.x.box, this.y.box, whole, this.status);
      this.details.append(summary, tools);
      curve.parentElement.querySelector("figcaption").before(this.details);
    }

    apply() {
      const x = this.x.read(), y = this.y.read();
      if (x === undefined || y === undefined) {
        this.status.textContent = "Expected two numbers, the smaller one first.";
        return;
      }
      this.picture.show(x, y);
      const [some, all] = this.picture.count();
      this.status.textContent = `${some} of ${all} points are in this range.`;
    }

    reset() {
      this.x.reset();
      this.y.reset();
      this.apply();
    }

    // A finger scrolls the page; only a mouse draws.
    watchMouse(svg) {
      const at = (event) => {
        const { x, y } = new DOMPoint(event.clientX, event.clientY)
          .matrixTransform(svg.getScreenCTM().inverse());
        return [x, y];
      };
      let from, box;
      svg.addEventListener("pointerdown", (event) => {
        if (event.pointerType !== "mouse" || event.button !== 0) return;
        if (!this.picture.isInside(at(event))) return;
        event.preventDefault(); // or words would be marked
        from = at(event);
        box = make(svg, "rect", { class: "chosen" });
        svg.setPointerCapture(event.pointerId);
      });
      svg.addEventListener("pointermove", (event) => {
        if (from === undefined) return;
        const to = at(event);
        const place = { x: Math.min(from[0], to[0]), y: Math.min(from[1], to[1]),
                        width: Math.abs(from[0] - to[0]), height: Math.abs(from[1] - to[1]) };
        for (const [key, value] of Object.entries(place)) box.setAttribute(key, value);
      });
      svg.addEventListener("pointerup", (event) => {
        if (from === undefined) return;
        const to = at(event);
        box.remove();
        this.choose(from, to);
        from = undefined;
      });
      svg.addEventListener("dblclick", () => this.reset());
    }

    // A flat box chooses along x alone, a steep one along y.
    choose(from, to) {
      let isAny = false;
      for (const [i, tools] of [this.x, this.y].entries()) {
        const { frame, newX, newY } = this.picture;
        const axis = i === 0 ? newX ?? this.picture.x : newY ?? this.picture.y;
        const edges = i === 0 ? [frame.left, frame.right] : [frame.top, frame.bottom];
        if (Math.abs(from[i] - to[i]) < SMALLEST_DRAG) continue;
        const ends = [from[i], to[i]]
          .map((one) => axis.value(Math.max(edges[0], Math.min(edges[1], one))));
        tools.set(Math.min(...ends), Math.max(...ends));
        isAny = true;
      }
      if (!isAny) return;
      this.details.open = true;
      this.apply();
    }
  }

  for (const curve of document.querySelectorAll(".curve[data-x]")) {
    const svg = curve.querySelector("svg"), grid = Array.from(svg.querySelectorAll(".gridline"));
    const frame = frameOf(grid);
    if (frame !== undefined) new Ranges(new Picture(curve, svg, grid, frame));
  }
})();

"use strict";
// The points of curves, by pointer, touch and keyboard. Each picture is one step of the tabulator;
// arrows go from point to point. Without script a resting pointer is shown the same words by the
// browser, and the table below has every number.
(function () {
  // Of the words the first line names the curve; the others are its numbers.
  function fill(tip, words) {
    tip.replaceChildren(...words.split("\n").map((line, i) => {
      const one = document.createElement(i === 0 ? "strong" : "span");
      one.textContent = line;
      return one;
    }));
  }

  class Points {
    constructor(curve) {
      const picture = curve.querySelector("svg");
      this.curve = curve;
      this.points = Array.from(picture.querySelectorAll("g > title"), (title) => this.take(title));
      if (this.points.length === 0) return;
      const title = picture.querySelector("title");
      picture.setAttribute("role", "group");
      picture.setAttribute("aria-label", `Points of ${title.textContent}`);
      title.remove(); // or browsers would show it over the points
      this.tip = document.createElement("div");
      this.tip.className = "tip";
      this.tip.hidden = true;
      this.tip.setAttribute("aria-hidden", "true"); // the point itself is read aloud
      curve.after(this.tip);
      this.points[0].setAttribute("tabindex", "0");
      // As it does when a point beyond its edge is reached.
      curve.addEventListener("scroll", () => { if (!this.tip.hidden) this.show(this.now); });
      curve.addEventListener("keydown", (event) => this.press(event));
      curve.addEventListener("ranged", () => this.makeReachable());
    }

    // Of what gnuplot drew: an unseen disc with words.
    take(title) {
      const point = title.parentElement;
      point.classList.add("point");
      point.setAttribute("role", "img");
      point.setAttribute("aria-label", title.textContent);
      point.setAttribute("tabindex", "-1");
      title.remove();
      point.addEventListener("focus", () => this.show(point));
      point.addEventListener("pointerenter", () => this.show(point));
      point.addEventListener("blur", () => this.hide());
      point.addEventListener("pointerleave", () => this.hide());
      return point;
    }

    show(point) {
      this.now = point;
      fill(this.tip, point.getAttribute("aria-label"));
      this.tip.hidden = false;
      const figure = this.tip.offsetParent.getBoundingClientRect();
      const at = point.getBoundingClientRect();
      const box = this.tip.getBoundingClientRect();
      const left = at.left + at.width / 2 - figure.left - box.width / 2;
      const above = at.top - figure.top - box.height - 6;
      // Beside the picture there is no place for it, and it must not hide its point.
      this.tip.style.left = `${Math.max(0, Math.min(left, figure.width - box.width))}px`;
      this.tip.style.top = `${above >= 0 ? above : at.bottom - figure.top + 6}px`;
    }

    hide() {
      this.tip.hidden = true;
    }

    press(event) {
      const now = this.points.indexOf(event.target);
      if (now < 0) return;
      if (event.key === "Escape") this.hide(); // what is in the way, without going on
      const shown = this.shown();
      const at = shown.indexOf(event.target);
      const next = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1,
                     Home: 0, End: shown.length - 1 }[event.key];
      if (next === undefined) return;
      event.preventDefault(); // or the page would scroll
      if (shown[next] !== undefined) this.goTo(shown[next]);
    }

    // A range of the axes may leave some out.
    shown() {
      return this.points.filter((point) => !point.hasAttribute("display"));
    }

    makeReachable() {
      const shown = this.shown();
      this.hide();
      if (shown.length > 0 && !shown.some((one) => one.getAttribute("tabindex") === "0"))
        this.setStep(shown[0]);
    }

    setStep(point) {
      for (const one of this.points) one.setAttribute("tabindex", one === point ? "0" : "-1");
    }

    goTo(point) {
      this.setStep(point);
      point.focus();
    }
  }

  for (const curve of document.querySelectorAll(".curve")) new Points(curve);
})();

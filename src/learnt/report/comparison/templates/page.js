"use strict";
// Everything is readable without this script; it sorts tables and moves what the slider moves.
document.documentElement.classList.add("js");

// On a narrow screen the contents would fill the first page.
if (window.matchMedia("(max-width: 70rem)").matches) document.querySelector("nav.contents details").open = false;

// Tables: a click on a column's title sorts by data-value, a second click turns the order round.
for (const button of document.querySelectorAll("th button[data-sort]")) {
  button.addEventListener("click", () => {
    const head = button.closest("th");
    const body = head.closest("table").tBodies[0];
    const place = head.cellIndex;
    const first = button.dataset.sort;
    const now = head.getAttribute("aria-sort");
    const order = now === null ? first : now === "ascending" ? "descending" : "ascending";
    const sign = order === "ascending" ? 1 : -1;
    const value = (row) => {
      const cell = row.cells[place];
      return cell.dataset.value ?? cell.querySelector("[data-measured]")?.dataset.measured ?? cell.textContent;
    };
    const compare = (a, b) => {
      const x = value(a), y = value(b);
      if (x === "" || y === "") return (x === "") - (y === "");
      const difference = Number(x) - Number(y);
      return sign * (Number.isNaN(difference) ? x.localeCompare(y) : difference);
    };
    const rows = Array.from(body.rows).map((row, i) => [row, i]);
    rows.sort(([a, i], [b, j]) => compare(a, b) || i - j);
    for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", order);
    body.append(...rows.map(([row]) => row));
  });
}

// The loss slider: costs decide the threshold, the threshold the confusion matrix, both the expected cost.
for (const box of document.querySelectorAll(".weigh")) {
  const data = JSON.parse(box.querySelector("script").textContent);
  const slider = box.querySelector("input[type=range]");
  const put = (what, text) => box.querySelectorAll(`[data-out="${what}"]`).forEach((e) => { e.textContent = text; });
  const digits = (x) => x.toLocaleString("en", { maximumSignificantDigits: 3 });
  const move = () => {
    const ratio = Math.pow(10, Number(slider.value) / 10);
    const miss = ratio >= 1 ? ratio : 1, alarm = ratio >= 1 ? 1 : 1 / ratio;
    const threshold = alarm / (alarm + miss);
    // Counts at step t are of rows whose probability is at least t / steps.
    const step = Math.min(data.steps, Math.ceil(threshold * data.steps - 1e-9));
    const hits = data.positives[step], alarms = data.negatives[step];
    const missed = data.positives[0] - hits, passed = data.negatives[0] - alarms;
    const rows = data.positives[0] + data.negatives[0];
    const cost = (missed * miss + alarms * alarm) / rows;
    const idle = Math.min(data.positives[0] * miss, data.negatives[0] * alarm) / rows;
    put("miss", digits(miss)); put("alarm", digits(alarm)); put("threshold", threshold.toFixed(3));
    put("tp", Math.round(hits)); put("fp", Math.round(alarms)); put("fn", Math.round(missed)); put("tn", Math.round(passed));
    put("cost", digits(cost)); put("idle", digits(idle));
    slider.setAttribute("aria-valuetext", `missed ${digits(miss)}, false alarm ${digits(alarm)}`);
  };
  slider.addEventListener("input", move);
  move();
}

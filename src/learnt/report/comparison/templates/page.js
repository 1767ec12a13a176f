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
  const inputs = Object.fromEntries([...box.querySelectorAll("[data-cost]")].map((e) => [e.dataset.cost, e]));
  const put = (what, text) => box.querySelectorAll(`[data-out="${what}"]`).forEach((e) => { e.textContent = text; });
  const digits = (x) => x.toLocaleString("en", { maximumSignificantDigits: 3, useGrouping: false });
  const show = (miss, alarm) => {
    const threshold = alarm / (alarm + miss);
    // Counts at a step are of rows whose probability is at least its threshold.
    const found = data.thresholds.findIndex((t) => t >= threshold - 1e-12);
    const hits = found < 0 ? 0 : data.positives[found], alarms = found < 0 ? 0 : data.negatives[found];
    const missed = data.positives[0] - hits, passed = data.negatives[0] - alarms;
    const rows = data.positives[0] + data.negatives[0];
    const cost = (missed * miss + alarms * alarm) / rows;
    const idle = Math.min(data.positives[0] * miss, data.negatives[0] * alarm) / rows;
    put("miss", digits(miss)); put("alarm", digits(alarm)); put("threshold", threshold.toFixed(3));
    put("tp", Math.round(hits)); put("fp", Math.round(alarms)); put("fn", Math.round(missed)); put("tn", Math.round(passed));
    put("cost", digits(cost)); put("idle", digits(idle));
    slider.setAttribute("aria-valuetext", `missed ${digits(miss)}, false alarm ${digits(alarm)}`);
  };
  const slid = () => {
    const ratio = Math.pow(10, Number(slider.value) / 10);
    const miss = ratio >= 1 ? ratio : 1, alarm = ratio >= 1 ? 1 : 1 / ratio;
    inputs.miss.value = digits(miss); inputs.alarm.value = digits(alarm);
    show(miss, alarm);
  };
  const typed = () => {
    const miss = inputs.miss.valueAsNumber, alarm = inputs.alarm.valueAsNumber;  // NaN while nothing valid is typed
    if (!(miss >= 0 && alarm >= 0 && miss + alarm > 0 && Number.isFinite(miss + alarm))) return;
    const place = 10 * Math.log10(miss / alarm);
    slider.value = Math.max(Number(slider.min), Math.min(Number(slider.max), place));
    show(miss, alarm);
  };
  slider.addEventListener("input", slid);
  for (const input of Object.values(inputs)) input.addEventListener("input", typed);
  slid();
}

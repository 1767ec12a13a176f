"use strict";
// The junction tree of the page: tables of cliques, messages up to the roots and down again, 0/0 = 0.
const net = JSON.parse(document.getElementById("network").textContent);
const counts = net.states.map((s) => s.length);
const seen = net.seen.slice();

function strides(scope) {
  const found = new Array(scope.length);
  for (let i = scope.length - 1, size = 1; i >= 0; i--) { found[i] = size; size *= counts[scope[i]]; }
  return found;
}
const size = (scope) => scope.reduce((n, v) => n * counts[v], 1);

// The place in a table of `onto` of every entry of a table of `from`.
function projection(from, onto) {
  const step = strides(onto), own = strides(from), n = size(from), places = new Int32Array(n);
  for (let e = 0; e < n; e++) {
    let at = 0;
    onto.forEach((v, i) => { at += step[i] * (Math.floor(e / own[from.indexOf(v)]) % counts[v]); });
    places[e] = at;
  }
  return places;
}

const holds = (clique, scope) => scope.every((v) => clique.includes(v));
const smallest = (scope) => net.cliques.reduce((best, c, i) =>
  holds(c, scope) && (best < 0 || size(c) < size(net.cliques[best])) ? i : best, -1);
const ones = net.cliques.map((c) => new Float64Array(size(c)).fill(1));
net.scopes.forEach((scope, f) => {
  const c = smallest(scope), places = projection(net.cliques[c], scope);
  places.forEach((p, e) => { ones[c][e] *= net.tables[f][p]; });
});
const home = counts.map((_, v) => smallest([v]));
const ofVariable = counts.map((_, v) => projection(net.cliques[home[v]], [v]));
const shared = net.cliques.map((c, i) => net.parents[i] < 0 ? [] : c.filter((v) => net.cliques[net.parents[i]].includes(v)));
const inOwn = net.cliques.map((c, i) => projection(c, shared[i]));
const inParent = net.cliques.map((c, i) => net.parents[i] < 0 ? null : projection(net.cliques[net.parents[i]], shared[i]));

// The marginals of all variables, or null where what was seen is impossible.
function marginals(codes = seen) {
  const tables = ones.map((t) => t.slice()), sums = [];
  codes.forEach((code, v) => {
    if (code >= 0) ofVariable[v].forEach((p, e) => { if (p !== code) tables[home[v]][e] = 0; });
  });
  for (let c = tables.length - 1; c >= 0; c--) {
    const sum = new Float64Array(size(shared[c]));
    inOwn[c].forEach((p, e) => { sum[p] += tables[c][e]; });
    const total = sum.reduce((a, b) => a + b, 0);
    if (!(total > 0)) return null;
    sums[c] = sum;
    if (net.parents[c] >= 0) inParent[c].forEach((p, e) => { tables[net.parents[c]][e] *= sum[p] / total; });
  }
  for (let c = 0; c < tables.length; c++) {
    if (net.parents[c] < 0) continue;
    const message = new Float64Array(sums[c].length);
    inParent[c].forEach((p, e) => { message[p] += tables[net.parents[c]][e]; });
    inOwn[c].forEach((p, e) => { tables[c][e] *= sums[c][p] > 0 ? message[p] / sums[c][p] : 0; });
  }
  return counts.map((k, v) => {
    const found = new Float64Array(k);
    ofVariable[v].forEach((p, e) => { found[p] += tables[home[v]][e]; });
    const total = found.reduce((a, b) => a + b, 0);
    return found.map((x) => x / total);
  });
}

// Of states that cannot be true together, a smallest part that cannot: none of it can be left out.
function conflict() {
  const kept = seen.slice();
  seen.forEach((code, v) => {
    kept[v] = -1;
    if (code >= 0 && marginals(kept) !== null) kept[v] = code;
  });
  return kept;
}

const nodes = document.getElementById("nodes"), said = document.getElementById("said");
const rows = net.names.map((name, v) => {
  const box = document.createElement("section"), head = document.createElement("h2");
  box.className = "node";
  head.textContent = name;
  const longest = Math.max(...net.states[v].map((state) => state.length));
  box.style.setProperty("--label", `${Math.min(Math.max(longest + 1, 3), 15)}ch`);
  box.append(head);
  const lines = net.states[v].map((state, code) => {
    const line = document.createElement("button"), bar = document.createElement("span");
    const label = document.createElement("span"), inner = document.createElement("i"), share = document.createElement("span");
    line.className = "state"; line.type = "button"; bar.className = "bar"; share.className = "share";
    label.textContent = state;
    bar.append(inner);
    line.append(label, bar, share);
    line.addEventListener("click", () => { seen[v] = seen[v] === code ? -1 : code; show(); });
    box.append(line);
    return { line, inner, share };
  });
  nodes.append(box);
  return { box, lines };
});

function show() {
  const found = marginals();
  const words = (found === null ? conflict() : seen).flatMap((code, v) => code < 0 ? [] : [`${net.names[v]} = ${net.states[v][code]}`]);
  said.textContent = found === null ? `Impossible: ${words.join(" and ")} ${words.length > 1 ? "cannot be true together" : "has the probability 0"}.`
    : words.length ? `Seen: ${words.join(", ")}` : "Nothing is set.";
  rows.forEach(({ box, lines }, v) => {
    box.classList.toggle("seen", seen[v] >= 0);
    lines.forEach(({ line, inner, share }, code) => {
      const p = found === null ? 0 : found[v][code];
      inner.style.width = `${100 * p}%`;
      share.textContent = found === null ? "–" : `${(100 * p).toFixed(1)} %`;
      line.setAttribute("aria-pressed", String(seen[v] === code));
    });
  });
}
show();

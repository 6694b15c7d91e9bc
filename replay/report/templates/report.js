"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const PAGE = 200;
const ROWS = 2000;
const NO_ROOM = -2;
const get = (id) => document.getElementById(id);

// Everything from the data is set as text: nothing of it is ever parsed as HTML.
function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// ---- totals, notes and figures -----------------------------------------------------------------------------------

function table(target, heads, rows) {
  target.append(make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col", textContent: head })))));
  const body = make("tbody", {});
  for (const [name, ...cells] of rows) {
    const head = make("th", { scope: "row", textContent: name });
    body.append(make("tr", {}, head, ...cells.map((cell) => make("td", { textContent: cell }))));
  }
  target.append(body);
}

get("verdict").textContent = data.sentence;
get("revisions").textContent = data.revisions;
document.title = `replay diff: ${data.verdict}`;
for (const note of data.notes) get("notes").append(make("li", { textContent: note }));
table(get("totals"), ["backend", ...data.outcomes], data.totals);
if (data.figures.length) {
  get("figures-section").hidden = false;
  table(get("figures"), ["figure", "helped", "hurt", "affected", "all"], data.figures);
}

// ---- filters -----------------------------------------------------------------------------------------------------

const filters = { backend: get("by-backend"), outcome: get("by-outcome"), cluster: get("by-cluster"), text: get("by-text") };

function options(select, values) {
  select.append(make("option", { value: "", textContent: "all" }));
  for (const [value, text] of values) select.append(make("option", { value, textContent: text }));
}
const distinct = (name) => [...new Set(data.results.map((result) => result[name]))].sort().map((value) => [value, value]);
options(filters.backend, distinct("backend"));
options(filters.outcome, distinct("outcome"));
options(filters.cluster, data.clusters.map((cluster) => [cluster.id, `${cluster.id} (${cluster.count})`]));

let shown = [];
let drawn = 0;

function matches(result) {
  const text = filters.text.value.trim().toLowerCase();
  return (!filters.backend.value || result.backend === filters.backend.value)
    && (!filters.outcome.value || result.outcome === filters.outcome.value)
    && (!filters.cluster.value || result.cluster === filters.cluster.value)
    && (!text || [result.name, result.record, ...result.origins, ...result.lines].join("\n").toLowerCase().includes(text));
}

function update() {
  shown = data.results.filter(matches);
  drawn = 0;
  get("results").replaceChildren();
  get("count").textContent = `${shown.length} of ${data.results.length} results${data.omitted}`;
  for (const button of get("clusters").querySelectorAll("button"))
    button.setAttribute("aria-pressed", String(button.dataset.id === filters.cluster.value));
  draw();
}

function draw() {
  const next = shown.slice(drawn, drawn + PAGE);
  get("results").append(...next.map(entry));
  drawn += next.length;
  get("more").hidden = drawn >= shown.length;
}

// ---- results -----------------------------------------------------------------------------------------------------

function entry(result) {
  const kind = result.kind ? `, ${result.kind}` : "";
  const approved = result.approved ? ", approved" : "";
  const summary = make("summary", {},
    make("span", { className: `outcome is-${result.outcome}`, textContent: `${result.outcome}${kind}${approved}` }),
    make("code", { textContent: result.name }),
    make("span", { className: "id", textContent: result.record.slice(0, 12) }),
    make("span", { textContent: `${result.backend}, ${result.mode}` }));
  const details = make("details", {}, summary);
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(body(result));
  });
  return details;
}

function body(result) {
  const inside = make("div", { className: "body" });
  if (result.origins.length) inside.append(make("p", { className: "from", textContent: `from ${result.origins.join(", ")}` }));
  const list = make("ul", {});
  for (const line of result.lines) list.append(make("li", { textContent: line }));
  if (list.childElementCount) inside.append(list);
  if (result.diff === NO_ROOM)
    inside.append(make("p", { className: "from", textContent: "Its diff is in the JSON report: there was no room here." }));
  const text = data.diffs[result.diff] ?? "";
  if (text) inside.append(sideBySide(text));
  return inside;
}

// A unified diff as two columns: what is removed beside what is added. Of a long one, a part at a time.
function sideBySide(text) {
  const lines = text.split("\n");
  const heads = ["---", "+++"].every((mark, i) => lines[i]?.startsWith(mark)) ? 2 : 0;
  const grid = make("div", { className: "diff" });
  const more = make("button", { type: "button" });
  let next = heads;
  const part = () => {
    const end = Math.min(next + ROWS, lines.length);
    columns(grid, lines.slice(next, end));
    next = end;
    more.textContent = `${lines.length - next} more lines`;
    more.hidden = next === lines.length;
  };
  more.addEventListener("click", part);
  part();
  return make("div", {}, grid, more);
}

function columns(grid, lines) {
  let old = [], fresh = [];
  const flush = () => {
    for (let i = 0; i < Math.max(old.length, fresh.length); i++) grid.append(...pair(old[i], fresh[i]));
    old = []; fresh = [];
  };
  for (const line of lines) {
    if (line.startsWith("-")) old.push(line.slice(1));
    else if (line.startsWith("+")) fresh.push(line.slice(1));
    else {
      flush();
      if (line.startsWith("@@")) grid.append(make("div", { className: "hunk", textContent: line }));
      else grid.append(side("", line.slice(1)), side("", line.slice(1)));
    }
  }
  flush();
}

function pair(old, fresh) {
  if (old === undefined) return [make("div", { className: "empty" }), side("new", fresh)];
  if (fresh === undefined) return [side("old", old), make("div", { className: "empty" })];
  let start = 0;
  while (start < Math.min(old.length, fresh.length) && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, fresh.length) - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  return [side("old", old, start, old.length - end), side("new", fresh, start, fresh.length - end)];
}

function side(className, text, from = text.length, to = text.length) {
  const parts = [...tokens(text.slice(0, from))];
  if (to > from) parts.push(make("mark", {}, ...tokens(text.slice(from, to))));
  return make("div", { className }, ...parts, ...tokens(text.slice(Math.max(from, to))));
}

const TOKEN = /(\/\/.*|\/\*.*?\*\/)|(\b\d[\w.]*)|\b(if|for|let|var|void|float\d*|half\d*|int\d*|uint|bool|char|short|long|double|const|static|kernel|return|i32|u32|f32|define|load|store)\b/g;
function* tokens(text) {
  if (text.length > 2000) { yield text; return; } // the pattern takes time that grows with the square of a line
  let last = 0;
  for (const found of text.matchAll(TOKEN)) {
    if (found.index > last) yield text.slice(last, found.index);
    yield make("span", { className: found[1] ? "t-comment" : found[2] ? "t-number" : "t-word", textContent: found[0] });
    last = found.index + found[0].length;
  }
  if (last < text.length) yield text.slice(last);
}

// ---- clusters ----------------------------------------------------------------------------------------------------

let clustersDrawn = 0;
function drawClusters() {
  const next = data.clusters.slice(clustersDrawn, clustersDrawn + 30);
  for (const cluster of next) {
    const button = make("button", { type: "button" },
      make("span", { className: `count is-${cluster.outcome}`, textContent: `${cluster.count} × ${cluster.outcome}` }),
      make("span", { className: "id", textContent: cluster.id }),
      make("span", { textContent: `${cluster.records} kernel${cluster.records === 1 ? "" : "s"} on ${cluster.backends.join(", ")}${cluster.note}` }));
    button.dataset.id = cluster.id;
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      filters.cluster.value = filters.cluster.value === cluster.id ? "" : cluster.id;
      update();
    });
    get("clusters").append(make("li", {}, button));
  }
  clustersDrawn += next.length;
  get("more-clusters").hidden = clustersDrawn >= data.clusters.length;
}

// ---- what the reader does ----------------------------------------------------------------------------------------

for (const filter of Object.values(filters)) filter.addEventListener("input", update);
get("filters").addEventListener("reset", () => setTimeout(update));
get("filters").addEventListener("submit", (event) => event.preventDefault());
get("more").addEventListener("click", draw);
get("more-clusters").addEventListener("click", drawClusters);
get("theme").addEventListener("click", () => {
  const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  themed();
});
function themed() {
  const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
  get("theme").textContent = dark ? "Light" : "Dark";
  get("theme").setAttribute("aria-pressed", String(dark));
}
document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
  if (event.key === "Escape" && typing) document.activeElement.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") { event.preventDefault(); filters.text.focus(); }
  if (event.key === "j" || event.key === "k") move(event.key === "j" ? 1 : -1);
});
function move(step) {
  let all = [...get("results").querySelectorAll("summary")];
  const here = all.indexOf(document.activeElement);
  if (step > 0 && here === all.length - 1 && !get("more").hidden) {
    draw();
    all = [...get("results").querySelectorAll("summary")];
  }
  const next = all[Math.min(all.length - 1, Math.max(0, here + step))];
  if (next) { next.focus(); next.scrollIntoView({ block: "nearest" }); }
}

themed();
drawClusters();
update();

// What is looked at: a call, a machine and a view. It stands in the address, so that a link shows the same.
"use strict";

const VIEWS = [...document.querySelectorAll("[role=tab]")].map(tab => tab.id.replace("tab_", ""));

const ELEM = 4;  // bytes of an element: float
const DEFAULTS = {
  view: "schedule", collective: "bcast", algorithm: "bcast/binomial", other: "", ranks: "8", bytes: "1024", root: "0", counts: "uniform",
  machine: "telephone", nodes: "1", mapping: "block", round: "0", study: "", ofCollective: "", ofMachine: "", ofRanks: "",
};
const MAX_RANKS = 256, MAX_VECTOR = 1 << 26;

const state = {...DEFAULTS};
const known = {
  algorithms: Object.fromEntries(COLLSCOPE.registry.algorithms.map(a => [a.key, a])),
  decisions: Object.fromEntries(COLLSCOPE.registry.decisions.map(d => [d.key, d])),
  collectives: Object.fromEntries(COLLSCOPE.registry.collectives.map(c => [c.name, c])),
  machines: Object.fromEntries(COLLSCOPE.machines.map(m => [m.name, m])),
};

function readAddress() {
  Object.assign(state, DEFAULTS);
  for (const [name, value] of new URLSearchParams(location.hash.slice(1)))
    if (name in DEFAULTS) state[name] = value;
  normalise();
}

function writeAddress() {
  const changed = Object.entries(state).filter(([name, value]) => value !== DEFAULTS[name] && value !== "");
  const text = "#" + new URLSearchParams(changed).toString();
  if (text !== (location.hash || "#")) history.replaceState(null, "", text);
}

// What does not exist, or does not fit the rest, becomes the nearest that does.
function normalise() {
  if (!(state.collective in known.collectives)) state.collective = DEFAULTS.collective;
  const keys = keysOf(state.collective);
  if (!keys.includes(stem(state.algorithm))) state.algorithm = keys[0];
  if (!keys.includes(stem(state.other)) || stem(state.other) === stem(state.algorithm)) state.other = "";
  if (!(state.machine in known.machines)) state.machine = DEFAULTS.machine;
  const machine = known.machines[state.machine];
  state.ranks = String(clamp(state.ranks, 1, MAX_RANKS, 8));
  const nodes = Object.keys(machine.variant_of_nodes).map(Number);
  const wanted = clamp(state.nodes, 1, MAX_RANKS, 1), least = Math.ceil(Number(state.ranks) / machine.cores);
  const fitting = nodes.filter(n => n >= least && n <= Number(state.ranks));
  if (!fitting.length) {
    state.ranks = String(Math.max(...nodes) * machine.cores);
    fitting.push(Math.max(...nodes));
  }
  state.nodes = String(fitting.reduce((best, n) => Math.abs(n - wanted) < Math.abs(best - wanted) ? n : best));
  if (!["block", "cyclic"].includes(state.mapping)) state.mapping = "block";
  state.root = String(known.collectives[state.collective].has_root ? clamp(state.root, 0, Number(state.ranks) - 1, 0) : 0);
  state.counts = countsOf(state.counts);
  const largest = Math.floor(MAX_VECTOR / (countsBlocks() ? Number(state.ranks) : 1));
  state.bytes = String(hasData() ? Math.floor(clamp(state.bytes, 0, largest, 1024) / ELEM) * ELEM : 0);
  if (!VIEWS.includes(state.view)) state.view = DEFAULTS.view;
}

function clamp(text, least, most, otherwise) {
  const value = Number(text);
  return Number.isInteger(value) ? Math.min(Math.max(value, least), most) : otherwise;
}

// How long the blocks of ranks are, as --counts takes it; uniform where that does not exist here.
const COUNTS = ["uniform", "linear", "zipf:0.5", "zipf:1", "zipf:2", "one:0"];
const MAX_EXPONENT = 16;
const mayBeUneven = () => known.collectives[state.collective].uneven;
function countsOf(text) {
  const [, kind, number] = text.match(/^(linear|zipf|one)(?::(\d+(?:\.\d+)?))?$/) ?? [];
  const exists = {linear: number === undefined, zipf: Number(number) <= MAX_EXPONENT, one: /^\d+$/.test(number) && Number(number) < Number(state.ranks)};
  return mayBeUneven() && exists[kind] ? text : DEFAULTS.counts;
}

const stem = key => key.split("[")[0];
const hasData = () => known.collectives[state.collective].unit !== "none";
const countsBlocks = () => known.collectives[state.collective].unit === "block";
const bytesName = () => countsBlocks() ? "bytes per block" + (state.counts === DEFAULTS.counts ? "" : ", on average") : "bytes of the vector";

function keysOf(collective) {
  const algorithms = COLLSCOPE.registry.algorithms.filter(a => a.collective === collective).map(a => a.key);
  const decisions = COLLSCOPE.registry.decisions.filter(d => d.collectives.includes(collective)).map(d => d.key);
  return [...algorithms, ...decisions];
}

const paramsOf = key => (known.algorithms[stem(key)] ?? known.decisions[stem(key)]).params;

// {name: value} of a key's parameters, defaults where it names none; words as words.
function valuesOf(key) {
  const given = Object.fromEntries((key.match(/\[(.*)\]$/)?.[1] ?? "").split(",").filter(Boolean).map(part => part.split("=")));
  return Object.fromEntries(paramsOf(key).map(p => [p.name, given[p.name] ?? wordOf(p, p.default)]));
}

const wordOf = (param, value) => param.words ? param.words[value - param.min] : String(value);

function keyWith(key, values) {
  const different = paramsOf(key).filter(p => values[p.name] !== wordOf(p, p.default));
  return stem(key) + (different.length ? `[${different.map(p => `${p.name}=${values[p.name]}`).join(",")}]` : "");
}

function point(algorithm, bytes = Number(state.bytes)) {
  return `collective=${state.collective} algorithm=${algorithm} ranks=${state.ranks} count=${bytes / ELEM} type=float op=sum ` +
    `root=${state.root}` + (state.counts === DEFAULTS.counts ? "" : ` counts=${state.counts}`);
}

// Parts of the page that are loaded when they are chosen: each is a script that calls `loaded`.
const parts = {};
function loaded(name, content) { parts[name] = content; }
function part(name, path) {
  if (name in parts) return Promise.resolve(parts[name]);
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = path;
    script.onload = () => resolve(parts[name]);
    script.onerror = () => reject(new Error(`${path} is missing: make the page again`));
    document.head.append(script);
  });
}

async function loadMachine() {
  const m = known.machines[state.machine];
  m.variants = await part(m.name, `machines/${COLLSCOPE.machines.indexOf(m)}.js`);
}

// The machine file that the model reads.
function machineText() {
  const m = known.machines[state.machine];
  return m.variants[m.variant_of_nodes[state.nodes]].text + placeLines(m);
}

// The same of each draw of the numbers that the machine's file leaves open or gives with a range; none where there are no such.
function drawnTexts() {
  const m = known.machines[state.machine], {text, draws} = m.variants[m.variant_of_nodes[state.nodes]];
  return draws.map(changed => {
    if (typeof changed === "string") return changed + placeLines(m);
    const lines = text.split("\n");
    for (const [at, line] of changed) lines[at] = line;
    return lines.join("\n") + placeLines(m);
  });
}

const placeLines = machine => places(machine).map(([n, s, c], r) => `place ${r} ${n} ${s} ${c}\n`).join("");

// Node, socket and cache of each rank, as machines/placement has them; none on the telephone network.
function places(machine) {
  if (!machine.seats) return [];
  const ranks = Number(state.ranks), nodes = Number(state.nodes);
  const share = n => Math.floor(ranks / nodes) + (n < ranks % nodes ? 1 : 0);
  const seat = (n, i) => {
    const [socket, cache] = machine.seats[share(n)][i];
    return [n, n * machine.sockets + socket, n * machine.caches + cache];
  };
  const made = [];
  if (state.mapping === "block") {
    for (let n = 0; n < nodes; n++) for (let i = 0; i < share(n); i++) made.push(seat(n, i));
  } else {
    for (let i = 0; i < share(0); i++) for (let n = 0; n < nodes; n++) if (i < share(n)) made.push(seat(n, i));
  }
  return made;
}

// The same on the command line.
function command(words) {
  const on = state.machine === "telephone" ? "" : ` --on ${state.machine} --nodes ${state.nodes}` + (state.mapping === "block" ? "" : ` --mapping ${state.mapping}`);
  const size = !hasData() ? "" : countsBlocks() ? ` --block-bytes ${state.bytes}` : ` --bytes ${state.bytes}`;
  const root = Number(state.root) ? ` --root ${state.root}` : "";
  const counts = state.counts === DEFAULTS.counts ? "" : ` --counts ${state.counts}`;
  return `./collscope ${words}${on} --ranks ${state.ranks}${size}${root}${counts}`;
}

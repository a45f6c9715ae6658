// The controls, the tabs, and what happens when one of them changes.
"use strict";

function prepared(trace, key) {
  trace.key = trace.chose || key;
  trace.ranks = trace.rank_end_s.length;
  trace.arrows = [...trace.messages, ...trace.transfers];
  for (const arrow of trace.arrows) arrow[3] = Math.max(1, Math.round(arrow[3]));  // its round
  trace.rounds = Math.max(0, ...trace.arrows.map(arrow => arrow[3]));
  return trace;
}

let current = null, serial = 0;

async function update() {
  normalise();
  writeAddress();
  controls();
  tabs();
  const mine = ++serial, say = byId("status");
  say.className = "";
  if (state.view === "results") {
    say.textContent = "";
    byId("about").hidden = true;
    await results.show();
    return ready(mine);
  }
  byId("about").hidden = false;
  say.textContent = "computing …";
  try {
    await loadMachine();
    if (mine !== serial) return;
    const machine = machineText(), line = [point(state.algorithm)];
    const [[trace], [why], [held], proof] = await Promise.all([
      engine.model("trace", machine, line, "--trace"),
      engine.model("explain", machine, line, "--explain"),
      engine.model("holdings", machine, line, "--holdings"),
      engine.proof("proof", point(state.algorithm)),
    ]);
    if (mine !== serial) return;
    if (trace.kind !== "ok") throw new Error(trace.status);
    current = {trace: prepared(trace, state.algorithm), why: why.kind === "ok" ? why : null, held: held.holdings ?? null, proof};
  } catch (error) {
    if (mine !== serial || error === null) return;
    current = null;
    say.className = "refused";
    say.textContent = `${state.algorithm}: ${error.message}`;
    return ready(mine);
  }
  summary();
  await render();
  ready(mine);
}

// For whoever waits for the page: all of the view is there, unless another one has been asked for since.
function ready(mine) {
  if (mine === serial) document.body.dataset.ready = String(serial);
}

function summary() {
  const {trace, proof} = current, say = byId("status");
  const sent = trace.arrows.reduce((sum, m) => sum + m[2], 0);
  const right = proof.verdict === "proven";
  say.replaceChildren(
    element("strong", {id: "makespan"}, seconds(trace.model_s)),
    ` ${counted(trace.arrows.length, "message")}, ${bytes(sent)} sent, ${counted(trace.rounds, "round")}` +
    (trace.bound_s && state.machine === "telephone" ? `; ${(trace.model_s / trace.bound_s).toFixed(2)} times the lower bound` : "") + (right ? "; proven" : ""));
  byId("makespan").dataset.seconds = String(trace.model_s);
  if (!right) {
    say.className = "refused";
    say.append(` The proof fails: ${proof.failure ?? proof.status}`);
  }
  byId("command").textContent = command(`show '${state.algorithm}'`);
}

// Some views are there at once, some when their times are computed.
function render() {
  if (!current) return null;
  const {trace, why, held} = current;
  switch (state.view) {
    case "schedule": return schedule.show(trace, held);
    case "timeline": return timeline.show(trace, why);
    case "traffic": return traffic.show(trace, why);
    case "compare": return compare.show(trace, why);
    default: return times.show();
  }
}

// ---- controls

const COUNT_NAMES = {uniform: "all alike", linear: "linear: 1, 2, … p", "one:0": "one:0: rank 0 has all"};

function options(select, values, chosen, name = v => v) {
  const wanted = values.join("\n");
  if (select.dataset.values !== wanted) {
    select.replaceChildren(...values.map(v => element("option", {value: v}, name(v))));
    select.dataset.values = wanted;
  }
  select.value = chosen;
}

function controls() {
  options(byId("collective"), COLLSCOPE.registry.collectives.map(c => c.name).filter(c => keysOf(c).length), state.collective);
  options(byId("algorithm"), keysOf(state.collective), stem(state.algorithm), key => key.startsWith("decision/") ? key : short(key));
  options(byId("machine"), COLLSCOPE.machines.map(m => m.name), state.machine, name => known.machines[name].title);
  const machine = known.machines[state.machine];
  options(byId("nodes"), Object.keys(machine.variant_of_nodes).filter(n => Number(n) <= Number(state.ranks) && Number(n) * machine.cores >= Number(state.ranks)), state.nodes);
  options(byId("mapping"), ["block", "cyclic"], state.mapping);
  for (const id of ["ranks", "root", "bytes"]) if (document.activeElement !== byId(id) || byId(id).value !== state[id]) byId(id).value = state[id];
  byId("root").closest("label").hidden = !known.collectives[state.collective].has_root;
  byId("bytes").closest("label").hidden = !hasData();
  byId("bytes_name").textContent = bytesName();
  options(byId("counts"), [...new Set([...COUNTS, state.counts])], state.counts, name => COUNT_NAMES[name] ?? name);
  byId("counts").closest("label").hidden = !mayBeUneven();
  byId("root").max = Number(state.ranks) - 1;
  for (const id of ["nodes", "mapping"]) byId(id).closest("label").hidden = !machine.seats;
  params();
  about();
}

function params() {
  const values = valuesOf(state.algorithm), host = byId("params"), list = paramsOf(state.algorithm);
  const wanted = stem(state.algorithm);
  if (host.dataset.key !== wanted) {
    host.dataset.key = wanted;
    host.replaceChildren(...list.map(p => {
      const input = p.words
        ? element("select", {id: `param_${p.name}`}, ...p.words.map(w => element("option", {value: w}, w)))
        : element("input", {id: `param_${p.name}`, type: "number", min: p.min, max: p.max});
      input.addEventListener("change", () => {
        const now = valuesOf(state.algorithm);
        now[p.name] = p.words ? input.value : String(clamp(input.value, p.min, p.max, p.default));
        state.algorithm = keyWith(state.algorithm, now);
        update();
      });
      return element("label", {title: p.help}, element("span", {}, p.name), input);
    }));
  }
  for (const p of list) byId(`param_${p.name}`).value = values[p.name];
}

function about() {
  const text = COLLSCOPE.about[stem(state.algorithm)];
  byId("about_name").textContent = state.algorithm;
  byId("about_fields").replaceChildren(...Object.entries(text?.fields ?? {}).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
  byId("about_picture").textContent = text?.picture ?? "";
  byId("about_picture").hidden = !text?.picture;
}

function tabs() {
  for (const view of VIEWS) {
    const chosen = view === state.view, tab = byId(`tab_${view}`);
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    byId(`view_${view}`).hidden = !chosen;
  }
  byId("call").hidden = state.view === "results";
}

for (const view of VIEWS) {
  const tab = byId(`tab_${view}`);
  tab.addEventListener("click", () => { state.view = view; update(); });
  tab.addEventListener("keydown", event => {
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!by) return;
    state.view = VIEWS[(VIEWS.indexOf(view) + by + VIEWS.length) % VIEWS.length];
    update();
    byId(`tab_${state.view}`).focus();
    event.preventDefault();
  });
}
for (const id of ["collective", "algorithm", "machine", "nodes", "mapping", "ranks", "root", "bytes", "counts"])
  byId(id).addEventListener("change", event => {
    state[id] = event.target.value;
    if (id === "collective") state.algorithm = state.other = "";
    if (id === "collective" || id === "algorithm" || id === "ranks") state.round = "0";
    update();
  });
byId("copy").addEventListener("click", () => navigator.clipboard?.writeText(byId("command").textContent));
addEventListener("hashchange", () => { readAddress(); update(); });
let resized = 0;
addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(() => { times.again(); if (state.view === "results") results.show(); else render(); }, 120); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", render);
readAddress();
update();

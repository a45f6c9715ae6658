// Tables of studies and campaigns, with filters. Each is a file that is loaded when it is chosen.
"use strict";

const results = (() => {
  function choices(select, values, chosen) {
    select.replaceChildren(...values.map(v => element("option", {value: v, selected: v === chosen}, v)));
    return values.includes(chosen) ? chosen : values[0];
  }

  async function show() {
    const names = COLLSCOPE.results.map(r => r.name);
    byId("results_none").hidden = names.length > 0;
    byId("results_part").hidden = !names.length;
    if (!names.length) return;
    state.study = choices(byId("study"), names, state.study);
    let content;
    try {
      content = await part(state.study, `results/${state.study}.js`);
    } catch (error) {
      byId("results_text").textContent = error.message;
      return;
    }
    if (state.view !== "results") return;
    const rows = content.rows.map(row => Object.fromEntries(content.columns.map((name, i) => [name, content.shared[name] ? content.shared[name][row[i]] : row[i]])));
    const only = (name, id, all) => {
      const values = [...new Set(all.map(row => String(row[name])))];
      if (name === "layout") values.sort((a, b) => parseInt(a) - parseInt(b) || a.localeCompare(b));
      state[id] = choices(byId(id), values, state[id]);
      return all.filter(row => String(row[name]) === state[id]);
    };
    let here = only("platform", "ofMachine", rows);
    here = only("collective", "ofCollective", here);
    here = only("layout", "ofRanks", here);
    writeAddress();
    const series = new Map();
    for (const row of here) {
      const name = short(row.algorithm) + (content.sources.length > 1 ? `, ${row.source}` : "");
      if (!series.has(name)) series.set(name, {name, colour: "", points: [], isBound: row.source === "bound"});
      series.get(name).points.push([row.bytes, row.median_s, row.q1_s, row.q3_s]);
    }
    const all = [...series.values()];
    all.forEach((s, i) => { s.colour = s.isBound ? GREY : COLOURS[i] ?? GREY; s.points.sort((a, b) => a[0] - b[0]); });
    byId("results_text").textContent = `${content.title}: ${counted(here.length, "row")} of ${rows.length}.`;
    charts.lines(byId("results_chart"), all, {title: `${state.study}: time by size`, x: "bytes of the vector"});
    byId("results_table").replaceChildren(charts.sizesTable(all, "Times (median); the fastest in bold"));
  }

  for (const id of ["study", "ofMachine", "ofCollective", "ofRanks"])
    byId(id).addEventListener("change", event => { state[id] = event.target.value; update(); });
  return {show};
})();

// All algorithms of a collective over sizes, by the model.
"use strict";

const times = (() => {
  const SIZES = Array.from({length: 11}, (_, i) => 4 * 4 ** i);  // 4 B to 4 MiB
  let shownFor = "";

  // Eight of ten draws lie between these.
  function band(drawn) {
    if (!drawn?.length) return [];
    const ascending = drawn.toSorted((a, b) => a - b), at = share => {
      const place = share * (ascending.length - 1), low = Math.floor(place), high = Math.ceil(place);
      return ascending[low] + (ascending[high] - ascending[low]) * (place - low);
    };
    return [at(0.1), at(0.9)];
  }

  // Colours are for those that come near the best at some size.
  function draw(series) {
    const timed = series.filter(s => s.points.length);
    const best = size => Math.min(...timed.flatMap(s => s.points.filter(q => q[0] === size).map(q => q[1])));
    const nearness = new Map(timed.map(s => [s, Math.min(...s.points.map(q => q[1] / best(q[0])))]));
    timed.sort((a, b) => nearness.get(a) - nearness.get(b));
    timed.forEach((s, i) => { s.colour = COLOURS[i] ?? GREY; });
    charts.lines(byId("times_chart"), timed, {title: `${state.collective}: time by size`, x: bytesName()});
    byId("times_table").replaceChildren(charts.sizesTable(timed, "Times; the fastest in bold"));
  }

  async function show() {
    const key = [state.collective, state.ranks, state.machine, state.nodes, state.mapping, state.root, state.counts, state.algorithm, document.documentElement.clientWidth].join();
    if (key === shownFor) return;
    shownFor = key;
    const keys = [...new Set([state.algorithm, ...keysOf(state.collective)])];
    const largest = MAX_VECTOR / (countsBlocks() ? Number(state.ranks) : 1);
    const sizes = hasData() ? SIZES.filter(size => size <= largest) : [0];
    const series = keys.map(name => ({name: short(name), points: []}));
    const refusals = new Map(), machine = machineText(), others = drawnTexts();
    for (const size of sizes) {
      byId("times_text").textContent = `${bytes(size)} …`;
      let answers;
      try {
        answers = await engine.model("times", machine, keys.map(name => point(name, size)), "", others);
      } catch (error) {
        if (error) byId("times_text").textContent = error.message;
        return;
      }
      if (shownFor !== key || state.view !== "times") { shownFor = ""; return; }
      answers.forEach((answer, i) => {
        if (answer.kind === "ok") series[i].points.push([size, answer.model_s, ...band(answer.others_s)]);
        else refusals.set(keys[i], answer.status);
      });
      draw(series);
    }
    byId("times_text").textContent = others.length
      ? `Shaded: eight of ten of ${others.length} draws of the numbers that the machine's file leaves open or gives with a range.` : "";
    byId("times_refused").replaceChildren(...[...refusals].map(([name, why]) => element("li", {}, element("strong", {}, short(name)), `: ${why}`)));
    byId("times_refused_part").hidden = !refusals.size;
  }

  return {show, again: () => { shownFor = ""; }};
})();

// Two algorithms side by side: why one is faster.
"use strict";

const compare = (() => {
  async function show(trace, why) {
    const select = byId("other"), keys = keysOf(state.collective).filter(key => key !== stem(state.algorithm));
    select.replaceChildren(...keys.map(key => element("option", {value: key, selected: key === state.other}, short(key))));
    if (!state.other) {
      state.other = keys[0] ?? "";
      select.value = state.other;
    }
    writeAddress();
    const text = byId("compare_text");
    if (!state.other) { text.textContent = "There is no other algorithm."; return; }
    text.textContent = "…";
    const machine = machineText(), line = [point(state.other)];
    let second, reason;
    try {
      [[second], [reason]] = await Promise.all([
        engine.model("other", machine, line, "--trace"), engine.model("other_why", machine, line, "--explain"),
      ]);
    } catch (error) {
      if (error) text.textContent = error.message;
      return;
    }
    if (second.kind !== "ok") {
      text.textContent = `${state.other}: ${second.status}`;
      byId("compare_parts").replaceChildren();
      for (const id of ["gantt_a", "gantt_b"]) canvas(byId(id), 1);
      return;
    }
    prepared(second, state.other);
    const [a, b] = [trace, second], [fast, slow] = a.model_s <= b.model_s ? [a, b] : [b, a];
    const same = Math.abs(a.model_s - b.model_s) <= 1e-9 * fast.model_s;
    text.textContent = same
      ? `${a.key} and ${b.key} take the same time, ${seconds(a.model_s)}.`
      : `${fast.key} wins: ${seconds(fast.model_s)}; ${slow.key} takes ${(slow.model_s / fast.model_s).toFixed(2)} times as long, ${seconds(slow.model_s)}.`;
    const end = Math.max(a.model_s, b.model_s);
    byId("name_a").textContent = a.key;
    byId("name_b").textContent = b.key;
    timeline.draw(byId("gantt_a"), a, why, end, 280);
    timeline.draw(byId("gantt_b"), b, reason, end, 280);
    byId("compare_parts").replaceChildren(timeline.partsTable([[a, why], [b, reason]]));
    byId("compare_command").textContent = command(`explain '${a.key}' '${b.key}'`);
  }

  byId("other").addEventListener("change", event => { state.other = event.target.value; update(); });
  return {show};
})();

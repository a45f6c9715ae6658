// Bytes from rank to rank, by distance, and what links carry.
"use strict";

const traffic = (() => {
  function show(trace, why) {
    matrix(trace);
    byId("classes").replaceChildren(classes(trace));
    const links = (why?.links ?? []).map(([kind, name, busy, wait]) =>
      [name.includes(kind) ? name : `${kind} ${name}`, seconds(busy), `${(100 * busy / trace.model_s).toFixed(0)} %`, seconds(wait)]);
    byId("links").replaceChildren(links.length
      ? table(["link", "all its bytes take", "of the makespan", "keeps the path waiting"], links, "The busiest link, and those on the critical path")
      : element("p", {}, "The telephone network has no links that messages share; choose a machine."));
  }

  const DISTANCES = ["within a cache or socket", "between sockets of a node", "between nodes"];

  function classes(trace) {
    const seats = places(known.machines[state.machine]);
    const sums = DISTANCES.map(() => [0, 0]);
    for (const [src, dst, size] of trace.arrows) {
      const a = seats[src], b = seats[dst], k = !a || a[0] !== b[0] ? 2 : a[1] !== b[1] ? 1 : 0;
      sums[k][0]++;
      sums[k][1] += size;
    }
    const all = sums.reduce((sum, s) => sum + s[1], 0);
    const rows = DISTANCES.map((name, k) => [name, String(sums[k][0]), bytes(sums[k][1]), all ? `${(100 * sums[k][1] / all).toFixed(0)} %` : "–"]);
    return table(["distance", "messages", "bytes", "share"], rows.filter(row => row[1] !== "0"), "Bytes by distance");
  }

  function matrix(trace) {
    const p = trace.ranks, sent = new Map();
    for (const [src, dst, size] of trace.arrows) sent.set(src * p + dst, (sent.get(src * p + dst) ?? 0) + size);
    const where = byId("matrix"), side = Math.min(where.parentElement.clientWidth, 560), LEFT = 40, cell = (side - LEFT - 8) / p;
    const {g} = canvas(where, side);
    const most = Math.max(1, ...sent.values());
    g.fillStyle = ink("--shade");
    g.fillRect(LEFT, 24, cell * p, cell * p);
    for (const [at, size] of sent) {
      g.fillStyle = ramp(1 - 0.9 * (size / most));
      g.fillRect(LEFT + cell * (at % p), 24 + cell * Math.floor(at / p), Math.max(1, cell - 0.5), Math.max(1, cell - 0.5));
    }
    const seats = places(known.machines[state.machine]);
    g.strokeStyle = ink("--ink");
    for (let r = 1; r < p; r++)
      if (seats.length && seats[r][0] !== seats[r - 1][0] && state.mapping === "block")
        for (const [x1, y1, x2, y2] of [[LEFT + cell * r, 24, LEFT + cell * r, 24 + cell * p], [LEFT, 24 + cell * r, LEFT + cell * p, 24 + cell * r]]) {
          g.beginPath();
          g.moveTo(x1, y1);
          g.lineTo(x2, y2);
          g.stroke();
        }
    g.fillStyle = ink("--faint");
    const step = every(p, side / 30);
    for (let r = 0; r < p; r += step) {
      g.textAlign = "center";
      g.fillText(r, LEFT + cell * (r + 0.5), 12);
      g.textAlign = "right";
      g.fillText(r, LEFT - 6, 24 + cell * (r + 0.5));
    }
    byId("matrix_text").textContent = `Row: sender, column: receiver. The largest sum is ${bytes(sent.size ? most : 0)}.`;
  }

  return {show};
})();

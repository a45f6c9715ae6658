// When each message is under way, and the critical path.
"use strict";

const timeline = (() => {
  const LEFT = 44, BOTTOM = 26;

  function nice(span, room) {
    const raw = span / Math.max(room, 1), power = 10 ** Math.floor(Math.log10(raw));
    return [1, 2, 5, 10].map(f => f * power).find(s => s >= raw);
  }

  // The parts of a message (its latency, its bytes, what it waits) are one leg: [rank, other rank, from, until].
  function legs(path) {
    const made = [];
    for (const [, rank, other, size, from, until] of path) {
      const last = made.at(-1);
      if (last && other >= 0 && last[0] === rank && last[1] === other && last[4] === size) last[3] = until;
      else made.push([rank, other, from, until, size]);
    }
    return made;
  }

  // One trace on one canvas; end: of the axis, in seconds, so that two can have the same.
  function draw(where, trace, why, end, most = 560) {
    const p = trace.ranks, row = Math.min(30, Math.max(5, most / p));
    const {g, width, height} = canvas(where, 8 + row * p + BOTTOM);
    const wide = width - LEFT - 12, x = t => LEFT + (end ? wide * t / end : 0), y = r => 6 + row * r;
    g.strokeStyle = ink("--line");
    g.fillStyle = ink("--faint");
    g.textAlign = "center";
    const tick = end ? nice(end, wide / 90) : 1;
    for (let t = 0; t <= end * 1.0001 && end; t += tick) {
      g.beginPath();
      g.moveTo(x(t), 6);
      g.lineTo(x(t), y(p));
      g.stroke();
      g.fillText(t ? seconds(t) : "0", Math.min(x(t), width - 24), height - 10);
    }
    g.textAlign = "right";
    for (let r = 0; r < p; r += every(p, most / 15)) g.fillText(r, LEFT - 8, y(r) + row / 2);
    const bar = (r, from, to, part, parts, colour) => {
      g.fillStyle = colour;
      g.fillRect(x(from), y(r) + 1 + (row - 2) * part / parts, Math.max(1, x(to) - x(from)), Math.max(1, (row - 2) / parts - 0.5));
    };
    for (let r = 0; r < p; r++) bar(r, 0, trace.rank_end_s[r], 0, 1, ink("--shade"));
    for (const [src, dst, , round, , , start, finish] of trace.arrows) {
      const colour = roundColour(round, trace.rounds);
      bar(src, start, finish, 0, 2, colour);
      bar(dst, start, finish, 1, 2, colour);
    }
    for (const [rank, kind, start, finish] of trace.spans) bar(rank, start, finish, 0, 1, ink(kind === "reduce" ? "--reduce" : "--copy"));
    if (why) {
      g.strokeStyle = ink("--path");
      g.lineWidth = 2.5;
      g.lineJoin = "round";
      g.beginPath();
      let begun = false;
      const to = (t, r) => { if (begun) g.lineTo(x(t), y(r) + row / 2); else g.moveTo(x(t), y(r) + row / 2); begun = true; };
      for (const [rank, other, from, until] of legs(why.path)) {
        to(from, rank);
        to(until, other >= 0 ? other : rank);
      }
      g.stroke();
    }
    return {x, y, row};
  }

  function at(trace, place, event) {
    const box = event.target.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
    const rank = Math.floor((py - place.y(0)) / place.row), lower = (py - place.y(rank)) / place.row > 0.5;
    if (rank < 0 || rank >= trace.ranks) return "";
    for (const [r, kind, start, finish] of trace.spans)
      if (r === rank && place.x(start) <= px && px <= place.x(finish)) return `rank ${rank}: ${kind}, ${seconds(start)} to ${seconds(finish)}`;
    for (const [src, dst, size, round, , posted, start, finish] of trace.arrows)
      if ((lower ? dst : src) === rank && place.x(start) - 1 <= px && px <= place.x(finish) + 1)
        return `${src} → ${dst}: ${bytes(size)}, round ${round}, posted ${seconds(posted)}, under way ${seconds(start)} to ${seconds(finish)}`;
    return `rank ${rank}: done at ${seconds(trace.rank_end_s[rank])}`;
  }

  function show(trace, why) {
    const place = draw(byId("gantt"), trace, why, trace.model_s);
    byId("gantt").onmousemove = event => { byId("gantt_text").textContent = at(trace, place, event); };
    byId("parts").replaceChildren(partsTable([[trace, why]]));
  }

  // What the critical path is spent on, of one call or two.
  function partsTable(pairs) {
    const names = Object.keys(COLLSCOPE.parts).filter(part => pairs.some(([, why]) => why?.parts[part] > 0));
    const head = ["on the critical path", ...pairs.flatMap(([trace]) => [short(trace.key), "share"])];
    if (pairs.length === 2) head.push("difference");
    const rows = names.map(part => {
      const times = pairs.map(([, why]) => why?.parts[part] ?? 0);
      const row = [COLLSCOPE.parts[part], ...pairs.flatMap(([trace], i) => [seconds(times[i]), `${(100 * times[i] / trace.model_s).toFixed(0)} %`])];
      if (pairs.length === 2) row.push((times[1] > times[0] ? "+" : times[1] < times[0] ? "−" : "") + seconds(Math.abs(times[1] - times[0])));
      return row;
    });
    const whole = ["makespan", ...pairs.flatMap(([trace]) => [seconds(trace.model_s), "100 %"])];
    if (pairs.length === 2) {
      const more = pairs[1][0].model_s - pairs[0][0].model_s;
      whole.push((more > 0 ? "+" : more < 0 ? "−" : "") + seconds(Math.abs(more)));
    }
    return table(head, [...rows, whole]);
  }

  return {show, draw, partsTable};
})();

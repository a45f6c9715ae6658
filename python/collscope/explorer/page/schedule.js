// The schedule round by round: who sends to whom, and who holds what afterwards.
"use strict";

const schedule = (() => {
  let trace = null, rounds = 0, byRound = [], held = null, base = null, baseKey = "", playing = 0;

  function show(answer, holdings) {
    trace = answer;
    stop();
    byRound = [];
    for (const [src, dst, size, round] of trace.arrows) (byRound[round] ??= []).push([src, dst, size]);
    rounds = trace.rounds;
    held = holdings && holdings.width ? holdings : null;
    baseKey = "";
    const slider = byId("round");
    slider.max = rounds;
    step(clamp(state.round, 0, rounds, 0));
  }

  function step(k) {
    state.round = String(k);
    byId("round").value = k;
    byId("round").setAttribute("aria-valuetext", k ? `after round ${k} of ${rounds}` : "before the first round");
    byId("round_name").textContent = k ? `round ${k} of ${rounds}` : `start; ${counted(rounds, "round")} follow`;
    draw(k);
    say(k);
    writeAddress();
  }

  const now = () => Number(byId("round").value);

  function say(k) {
    const here = byRound[k] ?? [], total = here.reduce((sum, m) => sum + m[2], 0);
    const pairs = here.slice(0, 12).map(([s, d]) => `${s}→${d}`).join("  ");
    byId("round_text").textContent = k
      ? `${counted(here.length, "message")}, ${bytes(total)}: ${pairs}${here.length > 12 ? "  …" : ""}`
      : "Step with the slider, the buttons or the arrow keys; the space bar plays.";
  }

  // ---- the arrows

  const LEFT = 44, TOP = 28;

  function geometry(width) {
    const p = trace.ranks, row = Math.min(34, Math.max(7, 620 / Math.max(rounds, 1)));
    const column = Math.min(46, (width - LEFT - 20) / Math.max(p - 1, 1));
    return {
      height: TOP + row * rounds + 22,
      x: rank => LEFT + column * rank + Math.max(0, (width - LEFT - 20 - column * (p - 1)) / 2),
      y: round => TOP + row * round, column, row,
    };
  }

  function arrow(g, at, k, src, dst) {
    const x1 = at.x(src), y1 = at.y(k - 1) + 2, x2 = at.x(dst), y2 = at.y(k) - 2;
    g.beginPath();
    g.moveTo(x1, y1);
    g.lineTo(x2, y2);
    g.stroke();
    const angle = Math.atan2(y2 - y1, x2 - x1), size = Math.min(6, at.row / 2);
    g.beginPath();
    g.moveTo(x2, y2);
    g.lineTo(x2 - size * Math.cos(angle - 0.45), y2 - size * Math.sin(angle - 0.45));
    g.lineTo(x2 - size * Math.cos(angle + 0.45), y2 - size * Math.sin(angle + 0.45));
    g.fill();
  }

  // All arrows, faint: drawn once per call and width, and copied at each step.
  function background(width, height, at, scale) {
    const key = [width, height, scale, ink("--ink"), trace.key].join();
    if (key === baseKey) return base;
    base = document.createElement("canvas");
    base.width = Math.round(width * scale);
    base.height = Math.round(height * scale);
    const g = base.getContext("2d");
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.font = "12px system-ui, sans-serif";
    g.textBaseline = "middle";
    g.textAlign = "center";
    g.fillStyle = ink("--faint");
    const step = every(trace.ranks, (width - LEFT) / 26);
    for (let r = 0; r < trace.ranks; r += step) g.fillText(r, at.x(r), 10);
    g.textAlign = "right";
    const rows = every(rounds, (height - TOP) / 16);
    for (let k = rows; k <= rounds; k += rows) g.fillText(k, LEFT - 14, at.y(k - 0.5));
    g.strokeStyle = ink("--line");
    g.lineWidth = 1;
    for (let r = 0; r < trace.ranks; r++) {
      g.beginPath();
      g.moveTo(at.x(r), TOP);
      g.lineTo(at.x(r), at.y(rounds));
      g.stroke();
    }
    g.globalAlpha = 0.28;
    byRound.forEach((messages, k) => {
      g.strokeStyle = g.fillStyle = roundColour(k, rounds);
      for (const [src, dst] of messages) arrow(g, at, k, src, dst);
    });
    baseKey = key;
    return base;
  }

  function draw(k) {
    if (!trace || state.view !== "schedule") return;
    const where = byId("arrows"), at = geometry(where.parentElement.clientWidth);
    const {g, width, height} = canvas(where, at.height);
    g.drawImage(background(width, height, at, devicePixelRatio || 1), 0, 0, width, height);
    if (k) {
      g.fillStyle = ink("--shade");
      g.globalAlpha = 0.6;
      g.fillRect(LEFT - 10, at.y(k - 1), width - LEFT, at.row);
      g.globalAlpha = 1;
      g.lineWidth = 2;
      g.strokeStyle = g.fillStyle = roundColour(k, rounds);
      for (const [src, dst] of byRound[k] ?? []) arrow(g, at, k, src, dst);
    }
    g.fillStyle = ink("--ink");
    for (let r = 0; r < trace.ranks; r++) {
      g.beginPath();
      g.arc(at.x(r), at.y(k), Math.min(3, at.column / 3), 0, 7);
      g.fill();
    }
    holdings(k);
  }

  // ---- who holds what

  function holdings(k) {
    byId("holdings_part").hidden = !held;
    if (!held) return;
    const p = trace.ranks, state = held.rounds[Math.min(k, held.rounds.length - 1)];
    const before = held.rounds[Math.max(0, Math.min(k - 1, held.rounds.length - 1))];
    const row = Math.min(22, Math.max(4, 480 / p));
    const {g, width, height} = canvas(byId("holdings"), 24 + row * p);
    const most = Math.max(1, ...held.sets.map(size)), wide = width - LEFT - 8;
    g.fillStyle = ink("--faint");
    g.textAlign = "left";
    g.fillText(held.combines ? "the vector; darker: fewer ranks' data combined" : personal() ? "blocks, by the rank that they are from" : "the data", LEFT, 10);
    g.textAlign = "right";
    for (let r = 0; r < p; r++) {
      const y = 22 + r * row;
      if (r % every(p, (height - 24) / 14) === 0) {
        g.fillStyle = ink("--faint");
        g.fillText(r, LEFT - 8, y + row / 2);
      }
      g.fillStyle = ink("--shade");
      g.fillRect(LEFT, y, wide, row - 1);
      const old = new Map(stretches(before[r]).map(([a, b, set]) => [`${a} ${b} ${set}`, true]));
      for (const [a, b, set] of stretches(state[r])) {
        const x = LEFT + wide * a / held.width, w = Math.max(1, wide * (b - a) / held.width - 0.5);
        g.fillStyle = held.combines ? ramp(0.05 + 0.9 * size(held.sets[set]) / most) : old.has(`${a} ${b} ${set}`) || !k ? ink("--had") : roundColour(k, rounds);
        g.fillRect(x, y, w, row - 1);
        if (held.combines && k && !old.has(`${a} ${b} ${set}`)) {
          g.strokeStyle = ink("--ink");
          g.lineWidth = 1;
          g.strokeRect(x + 0.5, y + 0.5, w - 1, row - 2);
        }
      }
    }
  }

  const personal = () => /^alltoallv?\//.test(trace.key);
  const size = set => { let n = 0; for (let i = 0; i < set.length; i += 2) n += set[i + 1] - set[i] + 1; return n; };
  const stretches = flat => { const made = []; for (let i = 0; i < flat.length; i += 3) if (flat[i + 2]) made.push(flat.slice(i, i + 3)); return made; };

  // ---- playing

  function stop() {
    clearInterval(playing);
    playing = 0;
    byId("play").textContent = "▶ play";
  }

  function play() {
    if (playing) return stop();
    if (now() >= rounds) step(0);
    byId("play").textContent = "■ stop";
    const pause = Math.max(33, Math.min(900, 6000 / Math.max(rounds, 1)));
    playing = setInterval(() => now() < rounds ? step(now() + 1) : stop(), pause);
  }

  function move(by) {
    stop();
    step(Math.min(Math.max(now() + by, 0), rounds));
  }

  byId("round").addEventListener("input", () => { stop(); step(now()); });
  byId("play").addEventListener("click", play);
  for (const [id, by] of [["first", -1e9], ["back", -1], ["forth", 1], ["last", 1e9]]) byId(id).addEventListener("click", () => move(by));
  addEventListener("keydown", event => {
    if (state.view !== "schedule" || event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, button, a, [role=tab]")) return;
    if (event.key === "ArrowRight" || event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowLeft" || event.key === "ArrowUp") move(-1);
    else if (event.key === "Home") move(-1e9);
    else if (event.key === "End") move(1e9);
    else if (event.key === " ") play();
    else return;
    event.preventDefault();
  });

  return {show, draw: () => trace && draw(now()), step, rounds: () => rounds};
})();

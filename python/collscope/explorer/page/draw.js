// Words, colours and canvases that all views share.
"use strict";

const byId = id => document.getElementById(id);

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name in made) made[name] = value; else made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function seconds(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0 s";
  const units = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
  const [scale, unit] = units.find(([s]) => Math.abs(value) >= s * 0.9995) ?? units.at(-1);
  return `${(value / scale).toPrecision(3)} ${unit}`;
}

function bytes(value) {
  const units = [[1 << 30, "GiB"], [1 << 20, "MiB"], [1 << 10, "KiB"]];
  const [scale, unit] = units.find(([s]) => value >= s) ?? [1, "B"];
  return `${Number((value / scale).toPrecision(3))} ${unit}`;
}

const counted = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
const short = key => key.replace(/^[a-z_]+\//, "");

const ink = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Viridis at seven places: order is seen without colour, too.
const RAMP = ["#440154", "#443a83", "#31688e", "#21918c", "#35b779", "#90d743", "#fde725"]
  .map(hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16)));

function ramp(share) {
  const at = Math.min(Math.max(share, 0), 1) * (RAMP.length - 1), i = Math.min(Math.floor(at), RAMP.length - 2);
  return `rgb(${RAMP[i].map((v, k) => Math.round(v + (RAMP[i + 1][k] - v) * (at - i))).join(" ")})`;
}

const roundColour = (round, rounds) => ramp(rounds > 1 ? 0.08 + 0.78 * (round - 1) / (rounds - 1) : 0.4);

// Told apart by people who see few colours, too (Paul Tol's bright and muted schemes).
const COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#ee8866", "#44bb99", "#999933", "#882255", "#77aadd", "#a0a0a0"];

const GREY = "#a4adb6";  // of what never comes near the best

// A canvas as wide as its parent, sharp on any screen; returns its context and sizes in CSS pixels.
function canvas(where, height) {
  const width = where.parentElement.clientWidth, scale = devicePixelRatio || 1;
  if (where.width !== Math.round(width * scale) || where.height !== Math.round(height * scale)) {
    where.width = Math.round(width * scale);
    where.height = Math.round(height * scale);
    where.style.height = `${height}px`;
  }
  const g = where.getContext("2d");
  g.setTransform(scale, 0, 0, scale, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = "12px system-ui, sans-serif";
  g.textBaseline = "middle";
  return {g, width, height};
}

// Every n-th number of so many, for axes with room for some.
function every(count, room) {
  for (const step of [1, 2, 5, 10, 20, 50, 100, 200, 500]) if (count / step <= room) return step;
  return 1000;
}

function table(head, rows, caption) {
  const made = element("table");
  if (caption) made.append(element("caption", {}, caption));
  made.append(element("thead", {}, element("tr", {}, ...head.map(h => element("th", {scope: "col"}, h)))));
  made.append(element("tbody", {}, ...rows.map(row => element("tr", {}, ...row.map(c => {
    const cell = element("td");
    if (/^[-+−]?[\d.]+( |$)/.test(c instanceof Node ? c.textContent : c)) cell.className = "number";
    cell.append(c instanceof Node ? c : String(c));
    return cell;
  })))));
  return element("div", {className: "scroll", tabIndex: 0, role: "region", ariaLabel: caption ?? head.join(", ")}, made);
}

// Lines over sizes, as SVG: times of algorithms, and who wins at each size.
"use strict";

const charts = (() => {
  const NS = "http://www.w3.org/2000/svg";

  function node(tag, attributes, ...children) {
    const made = document.createElementNS(NS, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  // series: [{name, colour, points: [[bytes, seconds, low, high], …]}, …]; low and high may be missing. Both axes are logarithmic.
  function lines(host, series, {title, x: xname}) {
    const all = series.flatMap(s => s.points).filter(q => q[1] > 0);
    host.replaceChildren();
    if (!all.length) return;
    const width = Math.max(300, host.clientWidth), height = Math.min(460, width * 0.62), L = 64, R = 12, T = 10, B = 58;
    const [x0, x1] = [Math.min(...all.map(q => q[0])), Math.max(...all.map(q => q[0]))];
    const [y0, y1] = [Math.min(...all.map(q => q[2] ?? q[1])), Math.max(...all.map(q => q[3] ?? q[1]))];
    const log = (v, a, b) => b > a ? (Math.log(v) - Math.log(a)) / (Math.log(b) - Math.log(a)) : 0.5;
    const x = v => L + (width - L - R) * log(Math.max(v, 1), Math.max(x0, 1), Math.max(x1, 1)), y = v => T + (height - T - B) * (1 - log(v, y0, y1));
    const svg = node("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title}; the table below has the numbers`});
    for (let power = Math.ceil(Math.log10(y0)); power <= Math.log10(y1); power++) {
      const at = y(10 ** power);
      svg.append(node("line", {x1: L, x2: width - R, y1: at, y2: at, class: "grid"}), node("text", {x: L - 6, y: at + 4, "text-anchor": "end"}, seconds(10 ** power).replace(".00", "").replace(".0", "")));
    }
    const sizes = [...new Set(all.map(q => q[0]))].sort((a, b) => a - b);
    const step = Math.ceil(sizes.length / Math.max(1, Math.floor((width - L - R) / 62)));
    sizes.forEach((size, i) => {
      if (i % step === 0) svg.append(node("text", {x: x(size), y: height - B + 38, "text-anchor": i + 1 === sizes.length && i ? "end" : "middle"}, bytes(size)));
    });
    svg.append(node("text", {x: (L + width - R) / 2, y: height - 4, "text-anchor": "middle"}, xname));
    const behind = series.toReversed();  // the first ones on top
    for (const s of behind) {
      const banded = s.points.filter(q => q[2] > 0);
      if (banded.length > 1 && s.colour !== GREY)
        svg.append(node("path", {d: `M${banded.map(q => `${x(q[0])},${y(q[3])}`).join("L")}L${banded.toReversed().map(q => `${x(q[0])},${y(q[2])}`).join("L")}Z`, fill: s.colour, opacity: 0.16}));
    }
    for (const s of behind) {
      const points = s.points.filter(q => q[1] > 0);
      svg.append(node("path", {d: `M${points.map(q => `${x(q[0])},${y(q[1])}`).join("L")}`, stroke: s.colour, fill: "none", "stroke-width": s.colour === GREY ? 1 : 2, ...(s.isBound ? {"stroke-dasharray": "5 4"} : {})}, node("title", {}, s.name)));
      for (const q of points) svg.append(node("circle", {cx: x(q[0]), cy: y(q[1]), r: 3, fill: s.colour}, node("title", {}, `${s.name}: ${bytes(q[0])}, ${seconds(q[1])}${q[2] ? `, band ${seconds(q[2])} to ${seconds(q[3])}` : ""}`)));
    }
    // The strip: the colour of the fastest at each size.
    sizes.forEach((size, i) => {
      const best = fastest(series, size);
      if (!best) return;
      const from = i ? (x(sizes[i - 1]) + x(size)) / 2 : L, to = i + 1 < sizes.length ? (x(size) + x(sizes[i + 1])) / 2 : width - R;
      svg.append(node("rect", {x: from, y: height - B + 8, width: Math.max(1, to - from), height: 12, fill: best.colour}, node("title", {}, `${bytes(size)}: ${best.name}`)));
    });
    host.append(svg, element("ul", {className: "legend"}, ...series.map(s => {
      const mark = element("span", {className: "swatch"});
      mark.style.background = s.colour;
      return element("li", {}, mark, s.name);
    })));
  }

  function fastest(series, size) {
    let best = null, time = Infinity;
    for (const s of series.filter(s => !s.isBound))
      for (const [at, value] of s.points) if (at === size && value > 0 && value < time) [best, time] = [s, value];
    return best;
  }

  // A row per size, a column per line, the fastest in bold; ratio: times over the fastest.
  function sizesTable(series, caption) {
    const sizes = [...new Set(series.flatMap(s => s.points.map(q => q[0])))].sort((a, b) => a - b);
    const shown = series.slice(0, 12);
    return table(["size", "fastest", ...shown.map(s => s.name)], sizes.map(size => {
      const best = fastest(series, size);
      return [bytes(size), best?.name ?? "–", ...shown.map(s => {
        const q = s.points.find(point => point[0] === size);
        return q && q[1] > 0 ? (s === best ? element("strong", {}, seconds(q[1])) : seconds(q[1])) : "–";
      })];
    }), caption);
  }

  return {lines, sizesTable};
})();

"""An animation: the net of ranks, and messages on their way at the times of the trace: a GIF for slides, an SVG for pages."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from collscope.base.files import write_atomically
from collscope.base.units import format_time
from collscope.figures.schedule import draw as show_draw
from collscope.figures.style import FAINT, INK
from collscope.schedules.trace import Trace

FRAMES_A_ROUND = 12
FRAMES = (40, 150)  # fewest and most
FRAME_MS = 70
REST_MS = 1800  # the last one stays
DPI = 110


def write(t: Trace, path: Path) -> Path:
    """Writes the animated GIF and returns its path."""
    from PIL import Image

    images = [Image.fromarray(frame) for frame in frames(t)]
    ground = Image.new("P", (1, 1))
    ground.putpalette(palette(t))
    pictures = [image.quantize(palette=ground, dither=Image.Dither.NONE) for image in images]
    times = [FRAME_MS] * (len(images) - 1) + [REST_MS]
    out = io.BytesIO()
    pictures[0].save(out, "GIF", save_all=True, append_images=pictures[1:], duration=times, loop=0, optimize=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, out.getvalue())
    return path


def write_svg(t: Trace, path: Path) -> Path:
    """Writes the animated SVG, which any browser plays by itself, and returns its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, svg(t).encode())
    return path


def svg(t: Trace) -> str:
    """The still picture, and on it a dot for each message that travels its way, and a ring where one arrives; all repeat
    together."""
    from collscope.figures import files

    scene = stage(t)
    still = files.render(scene.fig, "svg").decode()
    tall = scene.fig.get_size_inches()[1] * 72

    def at(point: np.ndarray) -> str:
        x, y = scene.ax.transData.transform(point) * 72 / scene.fig.dpi
        return f"{x:.1f} {tall - y:.1f}"

    end = max(t.time_s, 1e-12)
    moving = FRAME_MS * frame_count(t) / 1000
    whole = moving + REST_MS / 1000

    def when(seconds: float) -> float:
        return min(max(seconds / end, 0.0), 1.0) * moving / whole

    out, radius = [], scene.size * scene.side / (2 * scene.reach) * 72
    times = f'dur="{whole:.2f}s" repeatCount="indefinite" calcMode="discrete"'
    for r, turns in enumerate(arrivals(t)):
        x, y = at(scene.at[r]).split()
        for time, k in turns:
            key = f"{min(max(when(time), 1e-4), 0.9999):.4f}"
            out.append(f'<circle cx="{x}" cy="{y}" r="{radius:.1f}" fill="none" stroke="{hex_of(t, k)}" stroke-width="{scene.ring}" '
                       f'opacity="0"><animate attributeName="opacity" {times} keyTimes="0;{key}" values="0;1"/></circle>')  # fmt: skip
    for m in t.arrows:
        if m.src == m.dst:
            continue
        a, b = when(m.start_s), max(when(m.end_s), when(m.start_s) + 0.002)
        a, b = min(a, 0.997), min(b, 0.999)
        way = "M" + "L".join(at(p) for p in scene.ways[m.src, m.dst][:: max(1, len(scene.ways[m.src, m.dst]) // 12)])
        a = max(a, 1e-4)
        out.append(f'<circle r="{scene.dot:.1f}" fill="{hex_of(t, m.round)}" opacity="0">'
                   f'<animateMotion path="{way}" dur="{whole:.2f}s" repeatCount="indefinite" calcMode="linear" '
                   f'keyPoints="0;0;1;1" keyTimes="0;{a:.4f};{b:.4f};1"/>'
                   f'<animate attributeName="opacity" {times} values="0;1;0" keyTimes="0;{a:.4f};{b:.4f}"/></circle>')  # fmt: skip
    return still.replace("</svg>", "\n".join(out) + "\n</svg>")


def hex_of(t: Trace, k: int) -> str:
    return to_hex(show_draw.round_colour(k, t.rounds))


def arrivals(t: Trace) -> list[list[tuple[float, int]]]:
    """Of each rank when it turns which round's colour: what it has at the start, then what comes."""
    first = {t.root} if t.collective in ("bcast", "scatter") else set(range(t.ranks))
    found: list[list[tuple[float, int]]] = [[(0.0, 0)] if r in first else [] for r in range(t.ranks)]
    for m in sorted(t.arrows, key=lambda m: (m.end_s, m.round)):
        found[m.dst].append((m.end_s, m.round))
    return found


def palette(t: Trace) -> list[int]:
    """One for all frames, so that nothing flickers: the rounds' colours and what they are mixed with white, and greys."""
    mixed = [tuple(1 - g * (1 - c) for c in to_rgb(INK)) for g in np.linspace(0, 1, 24)]
    steps = min(t.rounds, 32)
    for k in np.linspace(1, t.rounds, steps).round().astype(int) if steps else ():
        colour = show_draw.round_colour(int(k), t.rounds)
        mixed += [tuple(1 - g * (1 - c) for c in colour) for g in np.linspace(0, 1, 8)[1:]]
    before = show_draw.round_colour(0, t.rounds)
    mixed += [tuple(1 - g * (1 - c) for c in before) for g in (0.35, 0.7, 1.0)]
    flat = [round(255 * v) for colour in mixed[:256] for v in colour]
    return flat + flat[:3] * (256 - len(flat) // 3)


@dataclass(frozen=True)
class Stage:
    """What stands still, and where things move on it."""

    fig: Figure
    ax: Axes
    side: float  # of the net, in inches
    reach: float  # of its axes
    size: float  # radius of a rank
    at: np.ndarray
    ways: dict[tuple[int, int], np.ndarray]
    ring: float  # widths in points: around a rank, and of a dot
    dot: float


def stage(t: Trace) -> Stage:
    side = 4.6 if t.ranks <= 20 else 5.6
    wide, tall = side + 0.5, show_draw.HEAD + side + 0.55
    fig = show_draw.sheet(wide, tall, t, show_draw.about(t))
    show_draw.round_key(fig, t, 0.09, show_draw.HEAD - 0.2)
    ax = show_draw.place(fig, 0.25, show_draw.HEAD + 0.05, side, side)
    size = show_draw.net(ax, t, side, faint=True)
    at, tree = show_draw.positions(t)
    ways = {}
    for m in t.arrows:
        if m.src != m.dst:
            low, high = min(m.src, m.dst), max(m.src, m.dst)
            line = show_draw.cut(show_draw.curve(at[low], at[high], 0.0 if tree else 0.5), size * 1.12)
            ways[m.src, m.dst] = line if m.src == low else line[::-1]
    fig.text(0.25 / wide, 0.16 / tall, t.where, fontsize=7.6, color=FAINT, va="bottom")
    few = t.ranks <= 20
    return Stage(fig, ax, side, ax.get_xlim()[1], size, at, ways, 3.2 if few else 2.0, 3.6 if few else 2.3)


def frame_count(t: Trace) -> int:
    return max(FRAMES[0], min(FRAMES[1], FRAMES_A_ROUND * t.rounds))


def frames(t: Trace) -> list[np.ndarray]:
    """The pictures, one after the other."""
    scene = stage(t)
    fig, ax, side, size, at, ways = scene.fig, scene.ax, scene.side, scene.size, scene.at, scene.ways
    wide, tall = fig.get_size_inches()
    fig.set_dpi(DPI)
    canvas = FigureCanvasAgg(fig)
    trails = LineCollection([], linewidths=2.6 if t.ranks <= 20 else 1.6, capstyle="round", zorder=6)
    ax.add_collection(trails)
    dots = ax.scatter([], [], s=42 if t.ranks <= 20 else 16, zorder=7, linewidths=0)
    points = size * side / (2 * 1.11) * 72 * 2  # across a rank
    ring = scene.ring
    halo = ax.scatter(at[:, 0], at[:, 1], s=(points + ring) ** 2, facecolors="none", zorder=8, linewidths=ring)
    clock = fig.text(
        1 - 0.2 / wide, 0.14 / tall, "", fontsize=10.5, fontweight="bold", ha="right", va="bottom", color=INK
    )
    end = max(t.time_s, 1e-12)
    n = frame_count(t)
    colour = {k: show_draw.round_colour(k, t.rounds) for k in range(t.rounds + 1)}
    turns = sorted((time, k, r) for r, list_ in enumerate(arrivals(t)) for time, k in list_)
    last: dict[int, int] = {}
    turned = 0
    made = []
    moving = (trails, dots, halo, clock)
    for artist in moving:
        artist.set_animated(True)
    canvas.draw()
    ground = canvas.copy_from_bbox(fig.bbox)  # type: ignore[attr-defined]
    for frame in range(n + 1):
        now = end * frame / n
        while turned < len(turns) and turns[turned][0] <= now * (1 + 1e-9):
            last[turns[turned][2]] = turns[turned][1]
            turned += 1
        under_way = [m for m in t.arrows if m.start_s <= now < m.end_s and m.src != m.dst]
        lines, heads, shades = [], [], []
        for m in under_way:
            way = ways[m.src, m.dst]
            here = int((now - m.start_s) / (m.end_s - m.start_s) * (len(way) - 1) + 0.5)
            lines.append(way[max(0, here - 14) : here + 1])
            heads.append(way[here])
            shades.append(colour[m.round])
        trails.set_segments(lines)
        trails.set_color([(*c, 0.75) for c in shades] or "none")
        dots.set_offsets(np.array(heads) if heads else np.zeros((0, 2)))
        dots.set_facecolor(shades or "none")
        halo.set_edgecolor([(*colour[last[r]], 1.0) if r in last else (*to_rgb("white"), 0.0) for r in range(t.ranks)])
        clock.set_text(format_time(now) if frame else "0 s")
        canvas.restore_region(ground)  # type: ignore[attr-defined]
        for artist in moving:
            fig.draw_artist(artist)
        made.append(np.asarray(canvas.buffer_rgba())[:, :, :3].copy())
    return made

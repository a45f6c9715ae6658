"""An animation: the net of ranks, and messages on their way at the times of the model."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb

from collscope import show_draw
from collscope.plot import FAINT, INK
from collscope.table import write_atomically
from collscope.trace import Trace
from collscope.units import format_time

FRAMES_A_ROUND = 9
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


def frames(t: Trace) -> list[np.ndarray]:
    """The pictures, one after the other."""
    side = 4.6 if t.ranks <= 20 else 5.6
    wide, tall = side + 0.5, show_draw.HEAD + side + 0.55
    fig = show_draw.sheet(wide, tall, t, show_draw.about(t))
    fig.set_dpi(DPI)
    canvas = FigureCanvasAgg(fig)
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
    trails = LineCollection([], linewidths=2.6 if t.ranks <= 20 else 1.6, capstyle="round", zorder=6)
    ax.add_collection(trails)
    dots = ax.scatter([], [], s=42 if t.ranks <= 20 else 16, zorder=7, linewidths=0)
    points = size * side / (2 * 1.11) * 72 * 2  # across a rank
    ring = 3.2 if t.ranks <= 20 else 2.0
    halo = ax.scatter(at[:, 0], at[:, 1], s=(points + ring) ** 2, facecolors="none", zorder=8, linewidths=ring)
    fig.text(0.25 / wide, 0.16 / tall, t.where, fontsize=7.6, color=FAINT, va="bottom")
    clock = fig.text(
        1 - 0.2 / wide, 0.14 / tall, "", fontsize=10.5, fontweight="bold", ha="right", va="bottom", color=INK
    )
    end = max(t.time_s, 1e-12)
    n = max(FRAMES[0], min(FRAMES[1], FRAMES_A_ROUND * t.rounds))
    colour = {k: show_draw.round_colour(k, t.rounds) for k in range(t.rounds + 1)}
    arrivals = sorted((m.end_s, m.dst, m.round) for m in t.arrows)
    last: dict[int, int] = {t.root: 0} if t.collective in ("bcast", "scatter") else dict.fromkeys(range(t.ranks), 0)
    arrived = 0
    made = []
    moving = (trails, dots, halo, clock)
    for artist in moving:
        artist.set_animated(True)
    canvas.draw()
    ground = canvas.copy_from_bbox(fig.bbox)  # type: ignore[attr-defined]
    for frame in range(n + 1):
        now = end * frame / n
        while arrived < len(arrivals) and arrivals[arrived][0] <= now * (1 + 1e-9):
            last[arrivals[arrived][1]] = arrivals[arrived][2]
            arrived += 1
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

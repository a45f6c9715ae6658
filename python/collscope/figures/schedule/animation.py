"""An animation: the net of ranks, and messages on their way at the times of the trace: a GIF for slides, an SVG for pages."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from collscope.base.units import format_time
from collscope.figures.files import render
from collscope.figures.schedule.net import Stage, net
from collscope.figures.schedule.rounds import round_colour
from collscope.figures.schedule.sheet import HEAD, about, facts, place, round_key, sheet
from collscope.figures.style import FAINT, INK
from collscope.schedules.trace import Message, Trace

FRAMES_A_ROUND = 12
FRAMES = (40, 150)  # fewest and most
FRAME_MS = 70
REST_MS = 1800  # the last one stays
DPI = 110
LEGIBLE = 4  # points: no line becomes smaller, however long it is
CLOCK = 10.5  # points
CLOCK_AT = (0.2, 0.16)  # inches from the right and from the bottom
TAIL = 14  # of a message on its way, in points of the line


@dataclass(frozen=True)
class Scene:
    """What stands still, and how large things are that move on it."""

    fig: Figure
    ax: Axes
    side: float  # of the net, in inches
    stage: Stage
    ring: float  # widths in points: around a rank, and of a dot
    dot: float

    def lines_of(self, t: Trace) -> dict[tuple[int, int], np.ndarray]:
        """(source, destination) → the line that messages take, [point, 2]."""
        return {pair: self.stage.path(*pair) for pair in {(m.src, m.dst) for m in t.arrows if m.src != m.dst}}


def scene_of(t: Trace) -> Scene:
    """The still picture of an animation."""
    few = t.ranks <= 20
    side = 4.6 if few else 5.6
    wide, tall = side + 0.5, HEAD + side + 0.55
    fig = sheet(wide, tall, t, about(t))
    round_key(fig, t, 0.09, HEAD - 0.2)
    ax = place(fig, 0.25, HEAD + 0.05, side, side)
    stage = net(ax, t, side, faint=True)
    fig.text(0.25 / wide, 0.16 / tall, t.where, fontsize=7.6, color=FAINT, va="bottom")
    return Scene(fig, ax, side, stage, 3.2 if few else 2.0, 3.6 if few else 2.3)


def arrivals(t: Trace) -> list[list[tuple[float, int]]]:
    """By rank: (time, round) of when it turns which round's colour: what it has at the start (round 0), then what comes."""
    first = {t.root} if facts(t).from_root else set(range(t.ranks))
    found: list[list[tuple[float, int]]] = [[(0.0, 0)] if r in first else [] for r in range(t.ranks)]
    for m in sorted(t.arrows, key=lambda m: (m.end_s, m.round)):
        found[m.dst].append((m.end_s, m.round))
    return found


def clock(t: Trace, now: float) -> str:
    """What the clock shows at a time of the trace: the last round that has begun, and the time."""
    begun = max((m.round for m in t.arrows if m.start_s <= now * (1 + 1e-9)), default=0)
    time = format_time(now)
    return f"round {begun} of {t.rounds} · {time}" if begun else time


def frame_count(t: Trace) -> int:
    """Frames of the animation but the first."""
    return max(FRAMES[0], min(FRAMES[1], FRAMES_A_ROUND * t.rounds))


# ---- SVG --------------------------------------------------------------------------------------------------


def svg(t: Trace) -> bytes:
    """The still picture, and on it a dot for each message that travels its way, and a ring where one arrives; all repeat
    together. Any browser plays it by itself."""
    scene = scene_of(t)
    still = render(scene.fig, "svg").decode()
    moving = FRAME_MS * frame_count(t) / 1000
    made = _Moving(t, scene, moving, moving + REST_MS / 1000)
    return still.replace("</svg>", "\n".join([*made.rings(), *made.dots(), *made.clock()]) + "\n</svg>").encode()


@dataclass(frozen=True)
class _Moving:
    """The elements of an SVG that move."""

    t: Trace
    scene: Scene
    moving_s: float  # while messages are under way
    whole_s: float  # until all begins again

    def point(self, at: np.ndarray) -> str:
        """A place of the net, in the SVG's own points."""
        x, y = self.scene.ax.transData.transform(at) * 72 / self.scene.fig.dpi
        return f"{x:.1f} {self.scene.fig.get_size_inches()[1] * 72 - y:.1f}"

    def when(self, seconds: float) -> float:
        """The share of the animation at which a time of the trace is reached."""
        return min(max(seconds / max(self.t.time_s, 1e-12), 0.0), 1.0) * self.moving_s / self.whole_s

    @property
    def steps(self) -> str:
        """Attributes of what switches on and off."""
        return f'dur="{self.whole_s:.2f}s" repeatCount="indefinite" calcMode="discrete"'

    def rings(self) -> Iterator[str]:
        """A ring around a rank for each message that arrives there."""
        stage = self.scene.stage
        radius = stage.size * self.scene.side / (2 * stage.reach) * 72
        for r, turns in enumerate(arrivals(self.t)):
            x, y = self.point(stage.at[r]).split()
            for time, k in turns:
                key = f"{min(max(self.when(time), 1e-4), 0.9999):.4f}"
                yield (
                    f'<circle cx="{x}" cy="{y}" r="{radius:.1f}" fill="none" stroke="{_hex(self.t, k)}" '
                    f'stroke-width="{self.scene.ring}" opacity="0"><animate attributeName="opacity" {self.steps} '
                    f'keyTimes="0;{key}" values="0;1"/></circle>'
                )

    def dots(self) -> Iterator[str]:
        """A dot for each message, on its way."""
        lines_of = self.scene.lines_of(self.t)
        for m in self.t.arrows:
            if m.src == m.dst:
                continue
            a, b = self.when(m.start_s), max(self.when(m.end_s), self.when(m.start_s) + 0.002)
            a, b = max(min(a, 0.997), 1e-4), min(b, 0.999)
            line = lines_of[m.src, m.dst]
            path = "M" + "L".join(self.point(p) for p in line[:: max(1, len(line) // 12)])
            yield (
                f'<circle r="{self.scene.dot:.1f}" fill="{_hex(self.t, m.round)}" opacity="0">'
                f'<animateMotion path="{path}" dur="{self.whole_s:.2f}s" repeatCount="indefinite" calcMode="linear" '
                f'keyPoints="0;0;1;1" keyTimes="0;{a:.4f};{b:.4f};1"/>'
                f'<animate attributeName="opacity" {self.steps} values="0;1;0" keyTimes="0;{a:.4f};{b:.4f}"/></circle>'
            )

    def clock(self) -> Iterator[str]:
        """The time and the round, a text for each step of the GIF's clock that shows something new; one is seen at a time."""
        wide, tall = self.scene.fig.get_size_inches() * 72
        n = frame_count(self.t)
        steps: list[tuple[float, str]] = []  # from which share of the animation on, what it says
        for frame in range(n + 1):
            text = clock(self.t, self.t.time_s * frame / n)
            if not steps or steps[-1][1] != text:
                steps.append((self.when(self.t.time_s * frame / n), text))
        yield (
            f'<g font-family="DejaVu Sans, Verdana, Arial, sans-serif" font-size="{CLOCK}" font-weight="bold" '
            f'fill="{INK}" text-anchor="end">'
        )
        for (at, text), (end, _) in zip(steps, [*steps[1:], (1.0, "")], strict=True):
            turns = ((0.0, 0), (at, 1), (end, 0))
            kept = [(time, on) for time, on in turns if time < 1 and not (time == 0 and at == 0 and not on)]
            times, values = (
                ";".join(f"{v:.4f}".rstrip("0").rstrip(".") for v in column) for column in zip(*kept, strict=True)
            )
            yield (
                f'<text x="{wide - CLOCK_AT[0] * 72:.1f}" y="{tall - CLOCK_AT[1] * 72:.1f}" opacity="0">{text}'
                f'<animate attributeName="opacity" {self.steps} keyTimes="{times}" values="{values}"/></text>'
            )
        yield "</g>"


def _hex(t: Trace, k: int) -> str:
    return to_hex(round_colour(k, t.rounds))


# ---- GIF --------------------------------------------------------------------------------------------------


def gif(t: Trace) -> bytes:
    """The animated GIF."""
    from PIL import Image

    images = [Image.fromarray(frame) for frame in frames(t)]
    ground = Image.new("P", (1, 1))
    ground.putpalette(palette(t))
    pictures = [image.quantize(palette=ground, dither=Image.Dither.NONE) for image in images]
    times = [FRAME_MS] * (len(images) - 1) + [REST_MS]
    out = io.BytesIO()
    pictures[0].save(out, "GIF", save_all=True, append_images=pictures[1:], duration=times, loop=0, optimize=True)
    return out.getvalue()


def palette(t: Trace) -> list[int]:
    """256 colours, red, green, blue of each from 0 to 255: one palette for all frames, so that nothing flickers. The rounds'
    colours and what they are mixed with white, and greys."""
    mixed = [tuple(1 - g * (1 - c) for c in to_rgb(INK)) for g in np.linspace(0, 1, 24)]
    steps = min(t.rounds, 32)
    for k in np.linspace(1, t.rounds, steps).round().astype(int) if steps else ():
        colour = round_colour(int(k), t.rounds)
        mixed += [tuple(1 - g * (1 - c) for c in colour) for g in np.linspace(0, 1, 8)[1:]]
    before = round_colour(0, t.rounds)
    mixed += [tuple(1 - g * (1 - c) for c in before) for g in (0.35, 0.7, 1.0)]
    flat = [round(255 * v) for colour in mixed[:256] for v in colour]
    return flat + flat[:3] * (256 - len(flat) // 3)


def frames(t: Trace) -> list[np.ndarray]:
    """The pictures, one after the other: [row, column, red green blue], 0 to 255."""
    scene = scene_of(t)
    scene.fig.set_dpi(DPI)
    _fit(scene.fig)
    film = _Film(t, scene)
    turns = sorted((time, k, r) for r, list_ in enumerate(arrivals(t)) for time, k in list_)
    last: dict[int, int] = {}  # of each rank, the round whose colour it has
    turned = 0
    made = []
    end, n = max(t.time_s, 1e-12), frame_count(t)
    for frame in range(n + 1):
        now = end * frame / n
        while turned < len(turns) and turns[turned][0] <= now * (1 + 1e-9):
            last[turns[turned][2]] = turns[turned][1]
            turned += 1
        made.append(film.frame(now, last))
    return made


def _fit(fig: Figure) -> None:
    """Makes lines smaller that reach beyond the right edge: with few dots an inch, small letters are wider than their outlines."""
    for text in fig.texts:
        while (beyond := text.get_window_extent().x1 - fig.bbox.x1 + 2) > 0 and text.get_fontsize() > LEGIBLE:
            text.set_fontsize(text.get_fontsize() * min(0.98, 1 - beyond / fig.bbox.x1))


class _Film:
    """The canvas on which frames are drawn: what stands still once, what moves is drawn for each."""

    def __init__(self, t: Trace, scene: Scene) -> None:
        self.t, self.scene = t, scene
        self.lines_of = scene.lines_of(t)
        self.colour = {k: round_colour(k, t.rounds) for k in range(t.rounds + 1)}
        fig, ax, stage = scene.fig, scene.ax, scene.stage
        wide, tall = fig.get_size_inches()
        few = t.ranks <= 20
        self.canvas = FigureCanvasAgg(fig)
        self.trails = LineCollection([], linewidths=2.6 if few else 1.6, capstyle="round", zorder=6)
        ax.add_collection(self.trails)
        self.dots = ax.scatter([], [], s=42 if few else 16, zorder=7, linewidths=0)
        across = stage.size * scene.side / (2 * 1.11) * 72 * 2  # a rank, in points
        self.halo = ax.scatter(
            stage.at[:, 0], stage.at[:, 1], s=(across + scene.ring) ** 2, facecolors="none", zorder=8, linewidths=scene.ring
        )  # fmt: skip
        at = 1 - CLOCK_AT[0] / wide, CLOCK_AT[1] / tall
        self.clock = fig.text(*at, "", fontsize=CLOCK, fontweight="bold", ha="right", va="baseline", color=INK)
        self.moving = (self.trails, self.dots, self.halo, self.clock)
        for artist in self.moving:
            artist.set_animated(True)
        self.canvas.draw()
        self.ground = self.canvas.copy_from_bbox(fig.bbox)  # type: ignore[attr-defined]

    def frame(self, now: float, last: dict[int, int]) -> np.ndarray:
        """The picture at a time of the trace; `last`: of each rank the round whose colour it has."""
        in_flight = [m for m in self.t.arrows if m.start_s <= now < m.end_s and m.src != m.dst]
        trails = [self._trail(m, now) for m in in_flight]
        shades = [self.colour[m.round] for m in in_flight]
        self.trails.set_segments(trails)
        self.trails.set_color([(*c, 0.75) for c in shades] or "none")
        self.dots.set_offsets(np.array([trail[-1] for trail in trails]) if trails else np.zeros((0, 2)))
        self.dots.set_facecolor(shades or "none")
        nothing = (*to_rgb("white"), 0.0)
        self.halo.set_edgecolor([(*self.colour[last[r]], 1.0) if r in last else nothing for r in range(self.t.ranks)])
        self.clock.set_text(clock(self.t, now))
        self.canvas.restore_region(self.ground)  # type: ignore[attr-defined]
        for artist in self.moving:
            self.scene.fig.draw_artist(artist)
        return np.asarray(self.canvas.buffer_rgba())[:, :, :3].copy()

    def _trail(self, m: Message, now: float) -> np.ndarray:
        """The part of its way that a message has just gone, [point, 2]."""
        path = self.lines_of[m.src, m.dst]
        here = int((now - m.start_s) / (m.end_s - m.start_s) * (len(path) - 1) + 0.5)
        return path[max(0, here - TAIL) : here + 1]

"""A small plot as SVG: lines over a logarithmic axis of group sizes."""

import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 320, 56, 120, 24, 44
COLORS = ["#1f5fa8", "#c2571a", "#3b8a3e", "#8a3b80", "#6b6b6b"]


def curve(lines, title, unit):
    """An SVG of `lines`, name -> [(nodes, value)]. The axis of the values begins at 0."""
    sizes = sorted({size for points in lines.values() for size, _ in points})
    top = nice(max(value for points in lines.values() for _, value in points))
    first, last = math.log(sizes[0]), math.log(sizes[-1])
    span = (last - first) or 1

    def place(size, value):
        across = LEFT + (math.log(size) - first) / span * (WIDTH - LEFT - RIGHT)
        return across, HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM)

    parts = [f'<text x="{LEFT}" y="14" font-weight="bold">{title}</text>']
    for step in range(5):
        value = top * step / 4
        _, y = place(sizes[0], value)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    for size in sizes:
        x, y = place(size, 0)
        parts.append(f'<text x="{x:.1f}" y="{y + 18:.1f}" text-anchor="middle">{size}</text>')
    parts.append(f'<text x="{LEFT}" y="{HEIGHT - 6}">nodes; {unit}</text>')
    for (name, points), color in zip(lines.items(), COLORS):
        parts.extend(line(name, [place(*point) for point in sorted(points)], color))
    body = "\n".join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'font-family="sans-serif" font-size="12">\n<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>\n'
            f"{body}\n</svg>\n")


def line(name, points, color):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    yield f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>'
    for x, y in points:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>'
    x, y = points[-1]
    yield f'<text x="{x + 8:.1f}" y="{y + 4:.1f}" fill="{color}">{name}</text>'


def nice(value):
    """The next of 1, 2, 4 or 8 times a power of ten."""
    power = 10 ** math.floor(math.log10(value))
    return next(power * factor for factor in (1, 2, 4, 8, 10) if power * factor >= value)

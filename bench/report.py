"""A table and a plot of what was measured, as ratios to nbdkit."""

import platform

import servers

BASE = "nbdkit"
OTHERS = ["holdfast", "qemu-nbd"]
COLOURS = {"holdfast": "#2463a6", "qemu-nbd": "#b0b0b0"}


def label(case):
    size = f"{case.bytes >> 10} KiB" if case.bytes < 1 << 20 else f"{case.bytes >> 20} MiB"
    return f"{size} {case.operation}, depth {case.depth}"


def layout():
    if servers.CLIENT_CORE == servers.SERVER_CORE:
        return "server and client on the same core"
    return "server and client on one core each"


def ratio(result, client, case, server, field):
    own = getattr(result[client, case, server], field)
    base = getattr(result[client, case, BASE], field)
    return own / base if base else float("nan")


def table(result, cases, options, pauses):
    lines = [
        "# NBD: one replica beside nbdkit file and qemu-nbd", "",
        f"Ratios to `nbdkit file` in the same run; medians of {options.rounds} interleaved rounds of"
        f" {options.seconds:g} s, one connection, {layout()}, files on tmpfs,"
        f" Linux {platform.release()}. *CPU* is the server's CPU time per operation, all threads.",
        "Higher is better for operations, lower for CPU.", ""]
    for client in options.clients:
        lines += [f"## Client: {client}", "",
                  "| | operations: holdfast | qemu-nbd | CPU: holdfast | qemu-nbd"
                  " | nbdkit operations/s | nbdkit CPU µs | holdfast CPU µs |",
                  "|---|---|---|---|---|---|---|---|"]
        for case in cases:
            base = result[client, case, BASE]
            cells = [f"{ratio(result, client, case, server, field):.2f}"
                     for field in ("iops", "cpu") for server in OTHERS]
            own = result[client, case, "holdfast"].cpu
            lines.append(f"| {label(case)} | " + " | ".join(cells)
                         + f" | {base.iops:.0f} | {base.cpu:.1f} | {own:.1f} |")
        lines.append("")
    counted = ", ".join(f"{count} during {name}" for name, count in pauses.items())
    lines += [f"Garbage collections of the node in ten seconds at depth 32: {counted}.", ""]
    return "\n".join(lines)


def change(result, cases, options, subject, before):
    """Ratios of a subject to an earlier build of itself, measured in the same rounds."""
    lines = ["## Against the build before", "",
             "Ratios of medians, this build to the one before: operations, CPU per operation.", "",
             "| | " + " | ".join(options.clients) + " |", "|---" * (len(options.clients) + 1) + "|"]
    for case in cases:
        cells = []
        for client in options.clients:
            now, then = result[client, case, subject], result[client, case, before]
            cells.append(f"{now.iops / then.iops:.2f}, {now.cpu / then.cpu:.2f}")
        lines.append(f"| {label(case)} | " + " | ".join(cells) + " |")
    return "\n".join(lines + [""])


def plot(result, cases, options):
    """Bars of both ratios for the first client; the line is nbdkit."""
    client = options.clients[0]
    row, left, width = 34, 210, 300
    panels = [("operations per second (more is better)", "iops"),
              ("server CPU per operation (less is better)", "cpu")]
    height = 60 + row * len(cases)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + 2 * (width + 40)}"'
             f' height="{height}" font-family="sans-serif" font-size="12">',
             f'<rect width="100%" height="100%" fill="white"/>']
    for index, case in enumerate(cases):
        parts.append(f'<text x="{left - 10}" y="{62 + index * row}" text-anchor="end">'
                     f'{label(case)}</text>')
    for panel, (title, field) in enumerate(panels):
        start = left + panel * (width + 40)
        values = [ratio(result, client, case, server, field) for case in cases for server in OTHERS]
        scale = (width - 40) / max(values + [1.2])
        parts.append(f'<text x="{start}" y="20" font-weight="bold">{title}</text>')
        for index, case in enumerate(cases):
            for bar, server in enumerate(OTHERS):
                value = ratio(result, client, case, server, field)
                top = 44 + index * row + bar * 13
                parts.append(f'<rect x="{start}" y="{top}" width="{value * scale:.1f}" height="12"'
                             f' fill="{COLOURS[server]}"/><text x="{start + value * scale + 4:.1f}"'
                             f' y="{top + 10}" font-size="10">{value:.2f}</text>')
        line = start + scale
        parts.append(f'<line x1="{line:.1f}" x2="{line:.1f}" y1="38" y2="{height - 10}"'
                     ' stroke="black" stroke-dasharray="3 3"/>'
                     f'<text x="{line:.1f}" y="34" text-anchor="middle" font-size="10">{BASE}</text>')
    for index, server in enumerate(OTHERS):
        parts.append(f'<rect x="{10 + index * 90}" y="10" width="12" height="12"'
                     f' fill="{COLOURS[server]}"/><text x="{26 + index * 90}" y="20">{server}</text>')
    return "\n".join(parts + ["</svg>", ""])

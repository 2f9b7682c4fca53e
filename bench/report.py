"""Table and plot of the results as ratios to nbdkit."""

import datetime
import platform
import subprocess

import placements
import servers

BASE = "nbdkit"
COLOURS = ["#2463a6", "#7fb2e5", "#b0b0b0", "#e0a040", "#f0d090"]


def label(case):
    size = f"{case.bytes >> 10} KiB" if case.bytes < 1 << 20 else f"{case.bytes >> 20} MiB"
    return f"{size} {case.operation}, depth {case.depth}"


def layout():
    if servers.CLIENT_CORE == servers.SERVER_CORE:
        return "server and client on the same core"
    return "server and client on one core each"


def origin(home):
    """Returns a sentence with the commit and the date."""
    def git(*words):
        return subprocess.run(["git", "-C", str(home), *words], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.strip()
    commit = git("rev-parse", "--short=12", "HEAD") or "unknown"
    changed = " with local changes" if git("status", "--porcelain", "-uno") else ""
    return f"Commit {commit}{changed}, {datetime.date.today().isoformat()}."


def others(options):
    """Returns the names of the servers that are compared with nbdkit, in the order of the columns."""
    earlier = [name.replace("holdfast", servers.BEFORE) for name in servers.REPLICAS
               if options.before and name in options.servers]
    return [*[name for name in servers.NAMES if name in options.servers], *earlier]


def ratio(result, client, case, server, field):
    own = getattr(result[client, case, server], field)
    base = getattr(result[client, case, BASE], field)
    return own / base if base else float("nan")


def table(results, options, origin_text, pauses):
    lines = [
        "# NBD: volumes of one and of three local replicas beside nbdkit file and qemu-nbd", "",
        f"{origin_text} Ratios to `nbdkit file` in the same run; medians of {options.rounds}"
        f" interleaved rounds of {options.seconds:g} s, one connection, files of {options.size} MiB on"
        f" tmpfs, Linux {platform.release()}.",
        "*CPU* is the server's CPU time per operation, all threads; *holdfast-3* has three local"
        " replicas. Higher is better for operations, lower for CPU.", ""]
    for client in options.clients:
        for name, result in results.items():
            lines += [f"## Client {client}: {placements.PLACEMENTS[name].title}", "",
                      *rows(result, client, options), ""]
    if pauses:
        counted = ", ".join(f"{count} during {name}" for name, count in pauses.items())
        lines += [f"Garbage collections of the node in ten seconds at depth 32: {counted}.", ""]
    return "\n".join(lines)


def rows(result, client, options):
    """Returns a table with operations and CPU of each server as ratios, then nbdkit's figures."""
    names = others(options)
    heads = ["", *[f"{name}: operations / CPU" for name in names], "nbdkit operations/s",
             "nbdkit CPU µs"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for case in options.cases:
        base = result[client, case, BASE]
        cells = [" / ".join(f"{ratio(result, client, case, name, field):.2f}"
                            for field in ("iops", "cpu")) for name in names]
        lines.append(f"| {label(case)} | {' | '.join(cells)} | {base.iops:.0f} | {base.cpu:.1f} |")
    return lines


def change(result, cases, options, subject, before):
    """Returns a table with ratios of a server to its earlier build, measured in the same rounds."""
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


def plot(results, options):
    """Draws bars of both ratios for the first client, with the placements below each other. The line is nbdkit."""
    client, names = options.clients[0], others(options)
    colours = dict(zip(names, COLOURS))
    lines = [(name, case) for name in results for case in options.cases]
    row, left, width, bar_height = 14 * len(names) + 8, 270, 300, 12
    height = 60 + row * len(lines)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + 2 * (width + 40)}"'
             f' height="{height}" font-family="sans-serif" font-size="12">',
             '<rect width="100%" height="100%" fill="white"/>']
    for index, (name, case) in enumerate(lines):
        parts.append(f'<text x="{left - 10}" y="{62 + index * row}" text-anchor="end">'
                     f'{name}: {label(case)}</text>')
    panels = [("operations per second (more is better)", "iops"),
              ("server CPU per operation (less is better)", "cpu")]
    for panel, (title, field) in enumerate(panels):
        start = left + panel * (width + 40)
        values = [[ratio(results[name], client, case, server, field) for server in names]
                  for name, case in lines]
        scale = (width - 40) / max([1.2, *sum(values, [])])
        parts.append(f'<text x="{start}" y="20" font-weight="bold">{title}</text>')
        for index, of_line in enumerate(values):
            for bar, value in enumerate(of_line):
                top = 44 + index * row + bar * (bar_height + 1)
                parts.append(f'<rect x="{start}" y="{top}" width="{value * scale:.1f}"'
                             f' height="{bar_height}" fill="{colours[names[bar]]}"/>'
                             f'<text x="{start + value * scale + 4:.1f}" y="{top + 10}"'
                             f' font-size="10">{value:.2f}</text>')
        line = start + scale
        parts.append(f'<line x1="{line:.1f}" x2="{line:.1f}" y1="38" y2="{height - 10}"'
                     ' stroke="black" stroke-dasharray="3 3"/>'
                     f'<text x="{line:.1f}" y="34" text-anchor="middle" font-size="10">{BASE}</text>')
    for index, name in enumerate(names):
        parts.append(f'<rect x="10" y="{10 + index * 16}" width="12" height="12"'
                     f' fill="{colours[name]}"/><text x="26" y="{20 + index * 16}">{name}</text>')
    return "\n".join(parts + ["</svg>", ""])

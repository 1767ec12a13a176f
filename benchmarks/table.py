"""The rows of results as one Markdown table."""

HEAD = (
    "workload",
    "library",
    "fit s med (min)",
    "spread",
    "predict s med (min)",
    "cores fit / pred",
    "peak MB (extra)",
    "quality",
    "fit x",
    "pred x",
)
QUIET = 0.2  # cores that may be busy elsewhere before times are in doubt


def with_ratios(rows):
    """Each row with its times over the fastest of its workload."""
    for w in {r["workload"] for r in rows}:
        for k in ("fit", "predict"):
            mine = [r for r in rows if r["workload"] == w and k in r]
            best = max(min((r[k] for r in mine), default=1), 1e-9)
            for r in mine:
                r[k + "_ratio"] = r[k] / best
    return rows


def ratio(r, k, real=1e-3):
    """Ratio to the fastest; '-' where this phase is a no-op (under 1 ms) for the fastest library."""
    return "-" if r[k] / r[k + "_ratio"] < real else f"{r[k + '_ratio']:.2f}"


def cores(r):
    f = lambda c, t: "-" if c is None or t < 0.02 else f"{c / t:.1f}"
    return f(r["cpu"], r["fit"]) + " / " + f(r.get("cpu_predict"), r["predict"])


def num(v):
    return f"{v:.0f}" if v >= 1000 else f"{v:.4g}" if v >= 0.01 else f"{v:.2g}"


def spread(r):
    return f"{100 * (r['fit_max'] - r['fit_min']) / max(r['fit'], 1e-9):.0f}%"


def cells(r):
    if "error" in r:
        return [r["workload"], r["library"], "failed: " + r["error"]]
    if r["workload"] == "import":
        return ["import", r["library"], f"{r['fit']:.3f} ({r['fit_min']:.3f})", spread(r)]
    notes = (" FELL BACK" if r["fallback"] else "") + (f" n={r['n']}" if r["n"] < 3 else "")
    return [
        r["workload"],
        r["library"] + notes,
        f"{num(r['fit'])} ({num(r['fit_min'])})",
        spread(r),
        f"{num(r['predict'])} ({num(r['predict_min'])})",
        cores(r),
        f"{r['peak_mb']:.0f} ({r['extra_mb']:.0f})",
        f"{r['metric']} {r['score']:.6g}",
        ratio(r, "fit"),
        ratio(r, "predict"),
    ]


def table(rows):
    lines = [list(HEAD), ["---"] * len(HEAD)]
    lines += [c + [""] * (len(HEAD) - len(c)) for c in map(cells, rows)]
    text = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    busy = max((r.get("other_cores", 0.0) for r in rows), default=0.0)
    if busy > QUIET:
        text += (
            f"\n\nOther processes kept up to {busy:.1f} cores busy meanwhile: only rough ratios can be read from this."
        )
    return text

"""The checker's verdicts in words."""

from .graph import CLIENT, NAMES, OWN, RT, RW, WR, WW

# Adya's names for cycles without an order of time, in words.
CYCLES = {"G0": "dirty write", "G1c": "circular reads", "G-single": "skewed read", "G2": "skewed write"}
EDGES = {
    WW: "{0} changed {2} before {1} did",
    WR: "{1} shows {2} as {0} left it",
    RW: "{0} shows {2} as it was before {1}",
    RT: "{0} had ended when {1} began",
    CLIENT: "the client had the answer to {0} when it sent {1}",
    OWN: "{1} has to show its own write",
}


def wallet(name):
    return f"the wallet of {name[0]}" + (f" ({name[1]})" if name[1] != "production" else "")


def course(name):
    return name[0] + (f" ({name[1]})" if name[1] != "production" else "")


def adya(kinds, rests_on_time):
    """Returns Adya's name of a cycle with these kinds of edges; `rests_on_time` if time told which state was read."""
    skips = kinds.count(RW)
    name = "G2" if skips > 1 else "G-single" if skips else "G1c" if WR in kinds else "G0"
    return name + ("-realtime" if rests_on_time or {RT, CLIENT, OWN} & set(kinds) else "")


def verdict(kinds, nodes, rests_on_time):
    """Returns the verdict on a cycle and Adya's name; `nodes` are the kinds of the operations at the edges' sources."""
    kind = adya(kinds, rests_on_time)
    name = kind.removesuffix("-realtime")
    if not kind.endswith("-realtime"):
        return CYCLES[name], kind
    if name == "G-single":
        reader = nodes[kinds.index(RW)]
        return {"classes": "stale list", "standby": "stale standby read"}.get(reader, "stale read"), kind
    return {"G0": "early acknowledgement", "G1c": "read of a later write"}.get(name, CYCLES[name]), kind


def explain(violation, lines):
    """Returns the verdict with the operations that prove it, in the order in which they began."""
    order = sorted(violation.operations, key=lambda index: (lines[index]["start"], index))
    letters = {index: letter(place) for place, index in enumerate(order)}
    text = [f"{violation.name}{f' ({violation.kind})' if violation.kind else ''}"]
    text += [f"  {letters[index]}. {operation(lines[index])}" for index in order]
    text += [f"  {violation.sentence}"] if violation.sentence else []
    for source, kind, thing, target in violation.steps:
        before, after = (" and ".join(letters[index] for index in one) or "a worker of the service"
                         for one in (source, target))
        text.append(f"  {NAMES[kind]}: {EDGES[kind].format(before, after, thing)}.")
    return "\n".join(text)


def letter(place):
    return (letter(place // 26 - 1) if place >= 26 else "") + chr(97 + place % 26)


def operation(line):
    """Returns an operation with its times, its client and its answer."""
    asked = [line["user"]] if line.get("user") else []
    asked += [line["environment"]] if line.get("environment", "production") != "production" else []
    asked += [f"{name} {value}" for name, value in line["arguments"].items()]
    asked += [f"position {line['after']}"] if "after" in line else []
    request = line["kind"] + (f" ({', '.join(asked)})" if asked else "")
    return (f"{line['start']:.3f} to {line['end']:.3f} s, client {line['client']}: {request}: "
            f"{answer(line['answer'])}")


def answer(found):
    if found == "unknown":
        return "no answer"
    parts = [found["refused"]] if "refused" in found else []
    for name, value in found.items():
        if name == "seats":
            shown = ", ".join(f"{one} {left}" for one, left in list(value.items())[:4])
            parts.append(f"free seats: {shown}{', …' if len(value) > 4 else ''}")
        elif name in ("bookings", "entries"):
            parts.append(f"{len(value)} {name}, first {value[0]}" if value else f"no {name}")
        elif name == "replayed":
            parts += ["replay"] if value else ["done"]
        elif name != "refused":
            parts.append(f"{name} {value}")
    return ", ".join(parts) or "done"

"""A graph of what must have come before what, and the shortest cycles in it.

A node is a transaction or a read. An edge leads from the earlier to the later one. Its kind is that of Adya's
dependencies: a write after a write of the same object (WW), a read of a write (WR), a write after a read of the state
before it (RW). Or it is the order of real time (RT), of one client that passes on its position (CLIENT), or of a write
and the state in its own answer (OWN). Operations that could have run one after the other have no cycle.
"""

import heapq
from array import array

WW, WR, RW, RT, CLIENT, OWN = range(6)
NAMES = ("write, write", "write, read", "read, write", "time", "client", "answer")
NO_OBJECT = -1


class Graph:
    def __init__(self):
        self.count = 0
        self.sources, self.targets = array("i"), array("i")
        self.kinds, self.objects = array("b"), array("i")
        # Nodes from here on are barriers, which only carry the order of real time.
        self.first_barrier = None

    def add_nodes(self, count):
        """Adds nodes; returns the first one."""
        first = self.count
        self.count += count
        return first

    def edge(self, source, target, kind, of=NO_OBJECT):
        if source != target:
            self.sources.append(source)
            self.targets.append(target)
            self.kinds.append(kind)
            self.objects.append(of)

    def order_by_time(self, ends, starts):
        """Adds the edges of real time, from each node that ended to each that started later.

        `ends` and `starts` are pairs of an instant and a node. One edge for each pair would be too many, so each node
        leads to a barrier, the barriers form a chain, and each later node follows the last barrier before it.
        """
        if self.first_barrier is None:
            self.first_barrier = self.count
        ends.sort()
        starts.sort()
        place, last = 0, None
        sources, targets, count = self.sources, self.targets, self.count
        before = len(sources)
        for instant, node in starts:
            if place < len(ends) and ends[place][0] < instant:
                barrier = count
                count += 1
                if last is not None:
                    sources.append(last)
                    targets.append(barrier)
                while place < len(ends) and ends[place][0] < instant:
                    sources.append(ends[place][1])
                    targets.append(barrier)
                    place += 1
                last = barrier
            if last is not None:
                sources.append(last)
                targets.append(node)
        added = len(sources) - before
        self.kinds.frombytes(bytes([RT]) * added)
        self.objects.extend(array("i", [NO_OBJECT]) * added)
        self.count = count

    # Cycles

    def cycles(self):
        """Returns, for each group of nodes that lie on common cycles, a shortest cycle as a list of (source, kind,
        object), and the number of the group's operations."""
        self._index()
        return [
            (self._shortest(group), sum(not self.is_barrier(node) for node in group))
            for group in self._groups(self._rest())
        ]

    def is_barrier(self, node):
        return self.first_barrier is not None and node >= self.first_barrier

    def _index(self):
        """Sorts the edges by source: those of a node are at begins[node] to begins[node + 1]."""
        begins = array("i", bytes(4 * (self.count + 2)))
        for source in self.sources:
            begins[source + 2] += 1
        total = 0
        for node in range(2, self.count + 2):
            total += begins[node]
            begins[node] = total
        order = array("i", bytes(4 * len(self.sources)))
        for edge, source in enumerate(self.sources):
            order[begins[source + 1]] = edge
            begins[source + 1] += 1
        self.begins, self.order = begins, order

    def _rest(self):
        """Removes nodes that nothing precedes, as long as there are any; returns marks of the others."""
        begins, order, targets = self.begins, self.order, self.targets
        preceding = array("i", bytes(4 * self.count))
        for target in targets:
            preceding[target] += 1
        left = bytearray(b"\1") * self.count
        free = [node for node in range(self.count) if not preceding[node]]
        while free:
            node = free.pop()
            left[node] = 0
            for place in range(begins[node], begins[node + 1]):
                target = targets[order[place]]
                preceding[target] -= 1
                if not preceding[target]:
                    free.append(target)
        return left

    def _groups(self, left):
        """Returns the strongly connected components of more than one of the marked nodes (Tarjan)."""
        number, lowest, on_stack = {}, {}, set()
        stack, found = [], []
        for root in range(self.count):
            if not left[root] or root in number:
                continue
            work = [(root, self.begins[root])]
            number[root] = lowest[root] = len(number)
            stack.append(root)
            on_stack.add(root)
            while work:
                node, place = work.pop()
                if place < self.begins[node + 1]:
                    work.append((node, place + 1))
                    target = self.targets[self.order[place]]
                    if not left[target]:
                        continue
                    if target not in number:
                        number[target] = lowest[target] = len(number)
                        stack.append(target)
                        on_stack.add(target)
                        work.append((target, self.begins[target]))
                    elif target in on_stack:
                        lowest[node] = min(lowest[node], number[target])
                    continue
                if work:
                    lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[node])
                if lowest[node] == number[node]:
                    group = []
                    while not group or group[-1] != node:
                        group.append(stack.pop())
                        on_stack.discard(group[-1])
                    if len(group) > 1:
                        found.append(group)
        return found

    def _shortest(self, group):
        """Returns a cycle with as few operations as possible: through any node of the group, or, in a large group,
        through nodes from all its parts."""
        inside = set(group)
        starts = sorted(node for node in group if not self.is_barrier(node))
        attempts = max(60, 1_000_000 // len(group))
        best = None
        for start in starts[::max(1, len(starts) // attempts)]:
            cycle = self._cycle_from(start, inside, best[0] if best else float("inf"))
            if cycle and (best is None or cycle[0] < best[0]):
                best = cycle
        return condense([step for step in best[1]], self.is_barrier)

    def _cycle_from(self, start, inside, limit):
        """Returns length and steps of the shortest cycle through a node; none if it is as long as the limit."""
        costs, came, waiting = {start: 0}, {}, [(0, start)]
        while waiting:
            cost, node = heapq.heappop(waiting)
            if cost > costs[node] or cost >= limit:
                continue
            for place in range(self.begins[node], self.begins[node + 1]):
                edge = self.order[place]
                target = self.targets[edge]
                if target not in inside:
                    continue
                # A chain of writes of one object counts little, because its ends suffice to describe it.
                further = cost + (0 if self.is_barrier(target) else 1 if self.kinds[edge] == WW else 1_000)
                if target == start:
                    if further < limit:
                        limit, came[start] = further, edge
                elif further < costs.get(target, limit):
                    costs[target], came[target] = further, edge
                    heapq.heappush(waiting, (further, target))
        if start not in came:
            return None
        steps, node = [], start
        while True:
            edge = came[node]
            node = self.sources[edge]
            steps.append((node, self.kinds[edge], self.objects[edge]))
            if node == start:
                return limit, steps[::-1]


# What two successive edges of one object are together: only the first and the last node matter.
TOGETHER = {(WW, WW): WW, (RW, WW): RW, (WW, WR): WR, (WR, RW): WW}


def condense(steps, is_barrier):
    """Removes the barriers and the middle of chains from a cycle."""
    # Starts at a node that is no barrier, and skips the barriers.
    first = next(place for place, step in enumerate(steps) if not is_barrier(step[0]))
    steps = [step for step in steps[first:] + steps[:first] if not is_barrier(step[0])]
    changed = True
    while changed and len(steps) > 2:
        changed = False
        for place in range(len(steps)):
            node, kind, of = steps[place - 1]
            _, next_kind, next_of = steps[place]
            if kind == next_kind == RT:
                merged = RT
            elif of == next_of != NO_OBJECT and (kind, next_kind) in TOGETHER:
                merged = TOGETHER[kind, next_kind]
            else:
                continue
            steps[place - 1] = (node, merged, of)
            del steps[place]
            changed = True
            break
    return steps

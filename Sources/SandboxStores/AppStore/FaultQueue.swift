import Synchronization

/// The faults that wait for the next calls, in the order in which they were asked for.
final class FaultQueue: Sendable {
    private struct Entry {
        let fault: Fault
        let side: SandboxTransaction.Environment?
        var remaining: Int
    }

    private let entries = Mutex<[Entry]>([])

    /// How many calls are still to fail.
    var remaining: Int { self.entries.withLock { $0.reduce(0) { $0 + $1.remaining } } }

    /// Makes the next calls fail.
    /// - Parameters:
    ///   - fault: how.
    ///   - side: the side whose calls fail, nil for both.
    ///   - count: how many calls.
    func add(_ fault: Fault, side: SandboxTransaction.Environment?, count: Int) {
        self.entries.withLock { $0.append(Entry(fault: fault, side: side, remaining: count)) }
    }

    func clear() {
        self.entries.withLock { $0.removeAll() }
    }

    /// Takes the fault that the next call of a side is to suffer.
    func next(for side: SandboxTransaction.Environment) -> Fault? {
        self.entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.side == nil || $0.side == side }) else { return nil }
            entries[index].remaining -= 1
            let fault = entries[index].fault
            if entries[index].remaining <= 0 { entries.remove(at: index) }
            return fault
        }
    }
}

import Synchronization

/// What a fault strikes.
enum FaultTarget: String, Sendable {
    case receipt
    case serverAPI = "server_api"
    case revenueCat = "revenuecat"
    case googlePlay = "play"
    case notifications
}

/// The faults that wait for the next calls, in the order in which they were asked for.
final class FaultQueue: Sendable {
    private struct Entry {
        let fault: Fault
        let target: FaultTarget
        let side: SandboxTransaction.Environment?
        var remaining: Int
    }

    private let entries = Mutex<[Entry]>([])

    /// How many calls are still to fail.
    var remaining: Int { self.entries.withLock { $0.reduce(0) { $0 + $1.remaining } } }

    /// Makes the next calls fail.
    /// - Parameters:
    ///   - fault: how.
    ///   - target: what is called.
    ///   - side: the side whose calls fail, nil for both.
    ///   - count: how many calls.
    func add(_ fault: Fault, target: FaultTarget, side: SandboxTransaction.Environment?, count: Int) {
        self.entries.withLock { $0.append(Entry(fault: fault, target: target, side: side, remaining: count)) }
    }

    func clear() {
        self.entries.withLock { $0.removeAll() }
    }

    /// Takes the fault that the next call is to suffer.
    /// - Parameters:
    ///   - target: what is called.
    ///   - side: the side that is called, nil where there are no sides.
    /// - Returns: the fault, nil where the call is to be answered as it should.
    func next(for target: FaultTarget, side: SandboxTransaction.Environment? = nil) -> Fault? {
        self.entries.withLock { entries in
            let struck = entries.firstIndex { entry in
                entry.target == target && (entry.side == nil || side == nil || entry.side == side)
            }
            guard let index = struck else { return nil }
            entries[index].remaining -= 1
            let fault = entries[index].fault
            if entries[index].remaining <= 0 { entries.remove(at: index) }
            return fault
        }
    }
}

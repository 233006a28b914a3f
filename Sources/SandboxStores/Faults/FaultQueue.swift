import Synchronization

/// The calls that a fault affects.
enum FaultTarget: String, Sendable {
    case receipt
    case serverAPI = "server_api"
    case revenueCat = "revenuecat"
    case googlePlay = "play"
    case notifications
}

/// The faults for the next calls, in the order in which they were requested.
final class FaultQueue: Sendable {
    private struct Entry {
        let fault: Fault
        let target: FaultTarget
        let side: SandboxTransaction.Environment?
        var remaining: Int
    }

    private let entries = Mutex<[Entry]>([])

    /// The number of calls that will still fail.
    var remaining: Int { self.entries.withLock { $0.reduce(0) { $0 + $1.remaining } } }

    /// Makes the next calls fail.
    /// - Parameters:
    ///   - fault: The failure.
    ///   - target: The calls that fail.
    ///   - side: The environment whose calls fail, nil for both.
    ///   - count: The number of calls.
    func add(_ fault: Fault, target: FaultTarget, side: SandboxTransaction.Environment?, count: Int) {
        self.entries.withLock { $0.append(Entry(fault: fault, target: target, side: side, remaining: count)) }
    }

    func clear() {
        self.entries.withLock { $0.removeAll() }
    }

    /// Takes the fault for the next call from the queue.
    /// - Parameters:
    ///   - target: The called endpoint.
    ///   - side: The called environment, nil if the endpoint has none.
    /// - Returns: The fault, nil if the call must succeed.
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

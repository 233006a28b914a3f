import Synchronization

/// Caches values for a while, such as the results for receipts, so that a repeated receipt needs no store call.
///
/// The keys are hashes of receipts or headers of signed data. The cache holds at most `capacity` values and evicts the
/// least recently used one first.
final class ReceiptMemory<Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        var until: ContinuousClock.Instant
        var use: UInt64
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var uses: [UInt64: String] = [:]
        var lastUse: UInt64 = 0
        var oldestUse: UInt64 = 1
    }

    private let capacity: Int
    private let lifetime: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    init(capacity: Int, lifetime: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.capacity = capacity
        self.lifetime = lifetime
        self.now = now
    }

    /// Returns the cached value of a key; nil if it is absent or expired.
    func value(of hash: String) -> Value? {
        let now = self.now()
        return self.state.withLock { state in
            guard var entry = state.entries[hash] else { return nil }
            state.uses[entry.use] = nil
            guard now < entry.until else {
                state.entries[hash] = nil
                return nil
            }
            self.touch(&entry, hash: hash, in: &state)
            return entry.value
        }
    }

    /// Caches a value; its lifetime starts now.
    func remember(_ value: Value, of hash: String) {
        guard self.capacity > 0 else { return }
        let until = self.now().advanced(by: self.lifetime)
        self.state.withLock { state in
            if let known = state.entries[hash] { state.uses[known.use] = nil }
            var entry = Entry(value: value, until: until, use: 0)
            self.touch(&entry, hash: hash, in: &state)
            while state.entries.count > self.capacity {
                self.forgetOldest(in: &state)
            }
        }
    }

    private func touch(_ entry: inout Entry, hash: String, in state: inout State) {
        state.lastUse += 1
        entry.use = state.lastUse
        state.entries[hash] = entry
        state.uses[entry.use] = hash
    }

    // Use numbers only grow, so the search for the oldest entry starts where the last search ended.
    private func forgetOldest(in state: inout State) {
        while state.oldestUse <= state.lastUse {
            defer { state.oldestUse += 1 }
            guard let hash = state.uses.removeValue(forKey: state.oldestUse) else { continue }
            state.entries[hash] = nil
            return
        }
    }
}

import Synchronization

/// Remembers for a while which receipts a store refused for good, so that sending one again costs the store nothing.
///
/// Holds hashes only and at most `capacity` of them; the one that was asked for least recently goes first.
final class RefusalMemory: Sendable {
    private struct Entry {
        var refusal: StoreError
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

    /// The refusal of a receipt that is still remembered.
    func refusal(of hash: String) -> StoreError? {
        let now = self.now()
        return self.state.withLock { state in
            guard var entry = state.entries[hash] else { return nil }
            state.uses[entry.use] = nil
            guard now < entry.until else {
                state.entries[hash] = nil
                return nil
            }
            self.touch(&entry, hash: hash, in: &state)
            return entry.refusal
        }
    }

    /// Remembers a refusal from now on.
    func remember(_ refusal: StoreError, of hash: String) {
        guard self.capacity > 0 else { return }
        let until = self.now().advanced(by: self.lifetime)
        self.state.withLock { state in
            if let known = state.entries[hash] { state.uses[known.use] = nil }
            var entry = Entry(refusal: refusal, until: until, use: 0)
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

    // Use numbers only grow, so the search for the oldest starts where the last one ended.
    private func forgetOldest(in state: inout State) {
        while state.oldestUse <= state.lastUse {
            defer { state.oldestUse += 1 }
            guard let hash = state.uses.removeValue(forKey: state.oldestUse) else { continue }
            state.entries[hash] = nil
            return
        }
    }
}

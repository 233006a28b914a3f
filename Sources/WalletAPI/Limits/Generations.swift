/// Remembers values by key for at least a time window, in bounded memory however many keys arrive.
///
/// Keys are kept in two generations, and a remembered key goes to the young generation. If the young generation is full
/// or as old as the window, it replaces the old generation, whose values are dropped. So a value is kept for the whole
/// window unless more than `trackedUsers` other keys arrive in it.
struct Generations<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Instant = ContinuousClock.Instant

    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private var turnedAt: Instant
    private let window: Duration
    private let size: Int

    init(_ limit: RateLimit, from now: Instant) {
        self.turnedAt = now
        self.window = .seconds(limit.window)
        self.size = limit.trackedUsers
    }

    /// The number of remembered keys.
    var count: Int { self.young.count + self.old.keys.count(where: { self.young[$0] == nil }) }

    /// Returns the remembered value of a key.
    subscript(key: Key) -> Value? { self.young[key] ?? self.old[key] }

    mutating func remember(_ value: Value, of key: Key) {
        self.young[key] = value
    }

    /// Replaces the old generation once the young generation is full or its window has passed.
    mutating func turn(at now: Instant) {
        guard now - self.turnedAt >= self.window || self.young.count >= self.size else { return }
        self.old = self.young
        self.young = [:]
        self.turnedAt = now
    }
}

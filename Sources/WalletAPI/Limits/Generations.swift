/// Remembers values by key for at least a window of time, in bounded memory anyone who comes.
///
/// Keys live in two generations: anyone who is remembered moves to the young one, and when that is full or a window
/// old, it becomes the old one and the old one is forgotten. So nobody is forgotten within the window unless more than
/// `trackedUsers` others came in it.
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

    /// How many keys are remembered.
    var count: Int { self.young.count + self.old.keys.count(where: { self.young[$0] == nil }) }

    /// What is remembered of a key.
    subscript(key: Key) -> Value? { self.young[key] ?? self.old[key] }

    mutating func remember(_ value: Value, of key: Key) {
        self.young[key] = value
    }

    /// Forgets the old generation once the young one has had its time.
    mutating func turn(at now: Instant) {
        guard now - self.turnedAt >= self.window || self.young.count >= self.size else { return }
        self.old = self.young
        self.young = [:]
        self.turnedAt = now
    }
}

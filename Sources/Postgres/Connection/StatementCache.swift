/// The prepared statements of a session, by their text and parameter types.
struct StatementCache {
    struct Key: Hashable {
        let sql: String
        let types: [OID]
    }

    private struct Entry {
        let name: String
        var lastUse: UInt64
    }

    private let limit: Int
    private var entries: [Key: Entry] = [:]
    private var uses: UInt64 = 0
    private var created = 0

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Returns the name of a prepared statement, if it exists.
    mutating func name(for key: Key) -> String? {
        self.uses += 1
        self.entries[key]?.lastUse = self.uses
        return self.entries[key]?.name
    }

    /// Returns a name that this session has never used, because a statement that failed may still occupy its name.
    mutating func newName() -> String {
        self.created += 1
        return "wallet_\(self.created)"
    }

    /// Adds a statement and returns the name of the statement evicted for it, if any.
    mutating func insert(_ key: Key, name: String) -> String? {
        let evicted = self.entries.count < self.limit ? nil : self.entries.min { $0.value.lastUse < $1.value.lastUse }
        if let evicted { self.entries[evicted.key] = nil }
        self.entries[key] = Entry(name: name, lastUse: self.uses)
        return evicted?.value.name
    }

    /// Removes a statement and returns its name.
    mutating func remove(_ key: Key) -> String? {
        self.entries.removeValue(forKey: key)?.name
    }
}

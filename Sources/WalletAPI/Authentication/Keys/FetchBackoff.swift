import Foundation

/// Spaces out the fetches of a key set: a fixed interval after a success, a growing interval after failures.
struct FetchBackoff: Sendable {
    private static let longest = 60.0

    private let minimumInterval: Double
    private var lastAttempt: Date?
    private var interval = 0.0
    private var failures = 0
    private(set) var lastSucceeded = false

    init(minimumInterval: Double) {
        self.minimumInterval = minimumInterval
    }

    /// Returns whether a fetch may start now.
    ///
    /// If the clock was set back, a fetch may start, so that fetches are not blocked.
    func allows(_ now: Date) -> Bool {
        guard let lastAttempt = self.lastAttempt else { return true }
        let passed = now.timeIntervalSince(lastAttempt)
        return passed < 0 || passed >= self.interval
    }

    /// The number of seconds until a fetch may start, at least 1.
    func wait(at now: Date) -> Int {
        guard let lastAttempt = self.lastAttempt else { return 1 }
        let left = self.interval - now.timeIntervalSince(lastAttempt)
        return Int(min(max(left.rounded(.up), 1), Self.longest))
    }

    mutating func succeeded(at now: Date) {
        self.lastAttempt = now
        self.interval = self.minimumInterval
        self.failures = 0
        self.lastSucceeded = true
    }

    mutating func failed(at now: Date) {
        self.lastAttempt = now
        self.failures += 1
        // 1, 2, 4 … seconds: a short outage ends soon after the issuer recovers, and a long outage causes few requests.
        self.interval = min(Double(1 << min(self.failures - 1, 6)), Self.longest)
        self.lastSucceeded = false
    }
}

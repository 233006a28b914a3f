import struct Foundation.Date

/// A `Retry-After` header in one of the forms that stores send.
struct StoreRetryAfter: Equatable {
    /// The maximum number of seconds that is accepted from a store.
    static let longest = 3_600

    /// The number of seconds to wait, between 1 and ``longest``.
    let seconds: Int

    /// Reads a header: seconds, or an instant in milliseconds since 1970 as the App Store sends it.
    ///
    /// The HTTP date form gives nil; no store sends it.
    /// - Parameters:
    ///   - text: The header's value.
    ///   - now: The current time, from which the wait is computed.
    init?(_ text: String, now: Date) {
        guard let number = Int64(text.trimmingSpaces), number >= 0 else { return nil }
        // As seconds, such a number would be over three thousand years.
        let isInstant = number > 100_000_000_000
        let (distance, overflow) = number.subtractingReportingOverflow(isInstant ? now.millisecondsSince1970 : 0)
        guard !overflow else { return nil }
        let seconds = isInstant ? (max(distance, 0) + 999) / 1_000 : distance
        self.seconds = Int(min(max(seconds, 1), Int64(Self.longest)))
    }
}

extension String {
    fileprivate var trimmingSpaces: Substring {
        let head = self.drop { $0 == " " }
        return head[..<(head.lastIndex { $0 != " " }.map(head.index(after:)) ?? head.startIndex)]
    }
}

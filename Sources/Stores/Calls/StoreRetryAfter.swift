import struct Foundation.Date

/// A `Retry-After` header, in any of the forms that stores send.
struct StoreRetryAfter: Equatable {
    /// No store is left alone for longer than this on its own word.
    static let longest = 3_600

    /// From now on, at least 1 and at most ``longest``.
    let seconds: Int

    /// Reads a header: seconds, or an instant in milliseconds since 1970 as the App Store sends it.
    ///
    /// The date form of HTTP is sent by no store and counts as no header.
    /// - Parameters:
    ///   - text: the header's value.
    ///   - now: what an instant is counted from.
    init?(_ text: String, now: Date) {
        guard let number = Int64(text.trimmingSpaces), number >= 0 else { return nil }
        // As seconds this would be three thousand years.
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

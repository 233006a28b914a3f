import Foundation

extension Date {
    /// The instant as RFC 3339 in UTC with milliseconds, rounded to the nearest millisecond.
    ///
    /// The milliseconds are computed as an integer: formatting a binary floating-point fraction truncates it, which
    /// loses one millisecond for half of all instants.
    var storeInstant: String {
        let (second, millisecond) = self.millisecondsSince1970.quotientAndRemainder(dividingBy: 1_000)
        let whole = millisecond < 0 ? second - 1 : second
        let fraction = millisecond < 0 ? millisecond + 1_000 : millisecond
        let digits = String(1_000 + fraction).dropFirst()
        return RFC3339.text(ofSeconds: whole).dropLast() + ".\(digits)Z"
    }

    /// The maximum time by which a renewal may be charged before its period begins: the longest period that stores
    /// sell.
    private static let longestAdvance: TimeInterval = 400 * 86_400

    /// Returns the purchase date if it is plausible.
    /// - Parameter reportedAt: The time at which the store reported the purchase.
    /// - Returns: The date itself.
    /// - Throws: ``StoreError`` `unreadable` for a date too far in the future, which would override every later
    ///   purchase.
    func boughtBefore(_ reportedAt: Date) throws(StoreError) -> Date {
        guard self <= reportedAt.addingTimeInterval(Self.longestAdvance) else { throw StoreError(.unreadable) }
        return self
    }

    /// Creates an instant from RFC 3339 text, to the millisecond; nil for other text and for an invalid date or time.
    init?(storeInstant text: String) {
        guard let instant = RFC3339(text) else { return nil }
        self.init(millisecondsSince1970: instant.seconds * 1_000 + instant.nanoseconds / 1_000_000)
    }

    /// Creates an instant from the stores' count of milliseconds since 1970.
    init(millisecondsSince1970 milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }

    /// Milliseconds since 1970, limited to the years 1 to 9999.
    ///
    /// Other instants cannot be formatted, and an instant computed from a store's numbers may be out of range.
    var millisecondsSince1970: Int64 {
        let milliseconds = (self.timeIntervalSince1970 * 1_000).rounded()
        return Int64(min(max(milliseconds, -62_135_596_800_000), 253_402_300_799_999))
    }
}

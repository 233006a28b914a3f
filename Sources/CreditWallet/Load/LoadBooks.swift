import Wallet

/// Compares what the service answered with what stands in the books.
struct LoadBooks: Sendable {
    /// What was found.
    struct Findings: Sendable {
        /// How many bookings of the run stand in the books.
        var found = 0
        /// What is wrong, one line each; the first thousand.
        private(set) var faults: [String] = []
        private(set) var faultCount = 0

        mutating func add(_ fault: String) {
            self.faultCount += 1
            if self.faultCount <= 1_000 { self.faults.append(fault) }
        }
    }

    private static let page = 100_000

    let wallet: Wallet

    /// Looks for every booking, and whether every invariant holds.
    ///
    /// A booking that was answered must be there once, with the id that was answered; one that was refused must not. One
    /// without an answer may be there or not.
    ///
    /// - Parameters:
    ///   - tally: What was answered.
    ///   - keyPrefix: What the keys of the run begin with.
    /// - Returns: What is wrong.
    /// - Throws: `WalletError` when the database does not answer.
    func check(_ tally: LoadStatistics, keyPrefix: String) async throws -> Findings {
        var findings = Findings()
        var seen = [Bool](repeating: false, count: tally.sent)
        var last: KeyedBooking?
        repeat {
            let page = try await self.wallet.bookings(keyedFrom: keyPrefix, after: last, limit: Self.page)
            for booking in page { Self.check(booking, keyPrefix, tally, &seen, &findings) }
            findings.found += page.count
            last = page.count < Self.page ? nil : page.last
        } while last != nil
        for (number, fate) in tally.fates.enumerated() where fate.isBooked && !seen[number] {
            findings.add("\(keyPrefix)\(number): answered as booked, and not in the books")
        }
        for violation in try await self.wallet.violations() { findings.add(violation.line) }
        return findings
    }

    private static func check(
        _ booking: KeyedBooking,
        _ keyPrefix: String,
        _ tally: LoadStatistics,
        _ seen: inout [Bool],
        _ findings: inout Findings
    ) {
        guard let number = Int(booking.key.dropFirst(keyPrefix.count)), seen.indices.contains(number) else {
            return findings.add("\(booking.key): in the books, and never sent")
        }
        if seen[number] { findings.add("\(booking.key): in the books more than once") }
        seen[number] = true
        let fate = tally.fates[number]
        if fate == .refused { findings.add("\(booking.key): refused, and in the books") }
        if let id = tally.bookingIDs[number], id != booking.bookingID {
            findings.add("\(booking.key): in the books under another booking_id than was answered")
        }
        if let status = fate.status, status != booking.status {
            findings.add("\(booking.key): \(booking.status) in the books, answered as \(status)")
        }
    }
}

extension LoadStatistics.Fate {
    /// Whether it must be in the books.
    fileprivate var isBooked: Bool { self != .unknown && self != .refused }

    /// What it must be there as, where that is known.
    fileprivate var status: String? {
        switch self {
        case .booked: "booked"
        case .cancelled: "cancelled"
        case .unknown, .refused, .perhapsCancelled: nil
        }
    }
}

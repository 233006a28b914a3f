import Wallet

/// Compares the service's responses with the bookings in the database.
struct LoadBooks: Sendable {
    /// The result of a check.
    struct Findings: Sendable {
        /// The number of the run's bookings in the database.
        var found = 0
        /// The faults, one line each; at most the first thousand.
        private(set) var faults: [String] = []
        private(set) var faultCount = 0

        mutating func add(_ fault: String) {
            self.faultCount += 1
            if self.faultCount <= 1_000 { self.faults.append(fault) }
        }
    }

    private static let page = 100_000

    let wallet: Wallet

    /// Checks every booking of a run, and every invariant.
    ///
    /// A booking that the service confirmed must exist once, with the confirmed id. A refused booking must not exist. A
    /// booking without a response may exist or not.
    ///
    /// - Parameters:
    ///   - tally: The responses.
    ///   - keyPrefix: The prefix of the run's keys.
    /// - Returns: The findings.
    /// - Throws: `WalletError` if the database is unavailable.
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
            findings.add("\(keyPrefix)\(number): confirmed by the service, but not in the books")
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
            return findings.add("\(booking.key): in the books, but never sent")
        }
        if seen[number] { findings.add("\(booking.key): in the books more than once") }
        seen[number] = true
        let fate = tally.fates[number]
        if fate == .refused { findings.add("\(booking.key): refused by the service, but in the books") }
        if let id = tally.bookingIDs[number], id != booking.bookingID {
            findings.add("\(booking.key): booking_id in the books differs from the response")
        }
        if let status = fate.status, status != booking.status {
            findings.add("\(booking.key): \(booking.status) in the books, but \(status) in the response")
        }
    }
}

extension LoadStatistics.Fate {
    /// A Boolean value that indicates whether the booking must exist in the database.
    fileprivate var isBooked: Bool { self != .unknown && self != .refused }

    /// The status that the booking must have; nil if it is unknown.
    fileprivate var status: String? {
        switch self {
        case .booked: "booked"
        case .cancelled: "cancelled"
        case .unknown, .refused, .perhapsCancelled: nil
        }
    }
}

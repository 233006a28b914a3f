import Foundation
import Wallet

extension WalkNames {
    /// Returns the database's answer as text.
    func text(_ answer: WalkAnswer) -> String {
        switch answer {
        case .fact(let fact):
            let lot = fact.lotID.map(self.lot) ?? "no lot"
            return "\(fact.verdict) \(fact.reason ?? "-") duplicate \(fact.duplicate) \(fact.transactionID) "
                + "\(fact.productID ?? "-") \(Self.unit(fact.unit)) \(fact.amount) \(lot) of "
                + "\(fact.lots.map { "\(self.lot($0.lotID)): \($0.remaining)" })"
        case .receipt(let receipt):
            return "\(self.text(receipt.booking)) replayed \(receipt.replayed), \(Self.text(receipt.balance))"
        case .quote(let quote):
            return "quote \(Self.unit(quote.unit)) \(quote.amount) \(self.text(quote.lots)), "
                + Self.text(quote.balanceAfter)
        case .session(let session):
            return "\(session.capacity) seats \(session.seatsLeft) left \(session.price) "
                + "\(Date?.some(session.startsAt).walkText) \(session.cancellation.freeMinutesBefore)"
        case .adjusted(let replayed, let lot, let balance):
            return "adjusted \(lot.map(self.lot) ?? "no lot") replayed \(replayed), \(balance)"
        case .said(let word): return word
        case .refused(let status, let slug, let members):
            return "\(status) \(slug) \(self.members(members))"
        }
    }

    func text(_ booking: Booking) -> String {
        "\(self.booking(booking.bookingID)) \(booking.classID) \(booking.status) \(booking.seats) seats "
            + "\(Self.unit(booking.unit)) \(booking.amount) \(self.text(booking.slices)) "
            + "free until \(Date?.some(booking.cancellation.freeUntil).walkText) late \(booking.lateCancel) "
            + "returned \(booking.returned.map { "\($0.amount)" } ?? "-")"
    }

    func text(_ slices: [LotSlice]) -> String {
        "[" + slices.map { "\(self.lot($0.lotID)): \($0.amount)" }.joined(separator: ", ") + "]"
    }

    static func text(_ balance: BalanceSummary) -> String {
        "\(balance.credits) credits \(balance.visits) visits version \(balance.version)"
    }

    static func unit(_ unit: CreditUnit?) -> String { unit?.rawValue ?? "no unit" }

    /// Returns a refusal's members as text, without the offers, which other tests check.
    private func members(_ json: String?) -> String {
        guard
            let json, let object = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        else { return json ?? "" }
        let shown = object.filter { $0.key != "offers" }.map { ($0.key, self.text(of: $0.key, $0.value)) }
        return Self.members(Dictionary(uniqueKeysWithValues: shown))
    }

    private func text(of member: String, _ value: Any) -> String {
        if value is NSNull { return "null" }
        if let shortages = value as? [[String: Any]] { return Self.shortages(shortages) }
        let text = "\(value)"
        if let instant = Self.instant(text) {
            let half = Date?.some(instant).walkText
            // A block ends some moments after a half hour. The refusal has whole seconds, which may not show them.
            return member == "blocked_until" ? half.replacing(" and some moments", with: "") : half
        }
        return UUID(uuidString: text).flatMap { self.bookings[$0] }.map { "booking \($0)" } ?? text
    }

    private static func shortages(_ shortages: [[String: Any]]) -> String {
        let texts = shortages.map { shortage in Self.members(shortage.mapValues { "\($0)" }) }
        return "[\(texts.joined(separator: ", "))]"
    }

    private static func instant(_ text: String) -> Date? {
        // Most texts are no times, and an error costs more than everything else here.
        guard text.hasSuffix("Z") else { return nil }
        return (try? Date(text, strategy: .iso8601))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }

    static func members(_ members: [String: String]) -> String {
        members.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }
}

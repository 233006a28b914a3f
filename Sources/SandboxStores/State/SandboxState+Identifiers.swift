import Foundation

extension SandboxState {
    /// Returns the id of a first purchase: a number at the App Store, `GPA.dddd-dddd-dddd-ddddd` at Google Play.
    mutating func nextTransactionID(of store: SandboxStore) -> String {
        let id = self.nextID()
        return store == .appStore ? id : Self.orderID(from: id)
    }

    /// Returns the id of the period that follows a period.
    mutating func nextPeriodID(after period: SandboxTransaction, renewal: Int) -> String {
        switch period.store {
        case .appStore: self.nextID()
        case .googlePlay: "\(period.originalID)..\(renewal - 1)"
        }
    }

    /// Returns a random purchase token in Google Play's format: long and URL-safe.
    static func newPurchaseToken() -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        let signs = letters + Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
        let head = (0..<24).compactMap { _ in letters.randomElement() }
        let tail = (0..<112).compactMap { _ in signs.randomElement() }
        return "\(String(head)).AO-J1O\(String(tail))"
    }

    private static func orderID(from id: String) -> String {
        let digits = Array(("3" + String(repeating: "0", count: 16)).dropLast(min(16, id.count)) + id.suffix(16))
        let groups = [digits[0..<4], digits[4..<8], digits[8..<12], digits[12..<17]]
        return "GPA." + groups.map { String($0) }.joined(separator: "-")
    }
}

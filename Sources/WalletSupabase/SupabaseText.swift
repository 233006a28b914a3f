import Crypto
import Foundation
import Wallet

/// Formats values that existing apps display unchanged.
enum SupabaseText {
    /// An amount of money with two digits, such as `49.00`.
    static func money(minor: Int64) -> String {
        let (whole, rest) = minor.magnitude.quotientAndRemainder(dividingBy: 100)
        return "\(minor < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }

    /// Returns a number with two decimals.
    static func decimal(_ value: Decimal) -> String {
        self.money(minor: self.minor(value))
    }

    /// Returns a price in its minor unit.
    static func minor(_ value: Decimal) -> Int64 {
        NSDecimalNumber(decimal: value * 100).int64Value
    }

    /// Returns the amount that was paid, such as `20 credits`, `1 visit` or `unlimited`.
    static func amount(_ amount: Int64, _ unit: CreditUnit?) -> String {
        guard let unit else { return "unlimited" }
        return "\(amount) \(unit.rawValue)\(amount.magnitude == 1 ? "" : "s")"
    }

    /// Returns a stable id for an object without a UUID of its own; the same name always has the same id.
    static func id(of name: String) -> UUID {
        self.id(bytes: Array(SHA256.hash(data: Data(name.utf8))))
    }

    /// Returns an id made of a digest's first bytes (RFC 9562, version 8).
    static func id(bytes: [UInt8]) -> UUID {
        var bytes = Array(bytes.prefix(16)) + [UInt8](repeating: 0, count: max(0, 16 - bytes.count))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
                bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            )
        )
    }
}

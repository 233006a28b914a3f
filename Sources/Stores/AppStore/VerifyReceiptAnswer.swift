import Foundation

/// The members of the verification endpoint's answer that are used.
struct VerifyReceiptAnswer: Decodable, Sendable {
    /// A list whose elements may not be objects, or a single object instead of a list of one.
    struct Records: Decodable, Sendable {
        private struct Element: Decodable {
            let record: StoreRecord?

            init(from decoder: any Decoder) throws {
                self.record = try? StoreRecord(from: decoder)
            }
        }

        /// The readable elements, in order.
        var readable: [StoreRecord] = []
        /// The number of elements that are not objects.
        var unreadable = 0

        init() {}

        init(from decoder: any Decoder) throws {
            guard var list = try? decoder.unkeyedContainer() else {
                self.readable = [try StoreRecord(from: decoder)]
                return
            }
            while !list.isAtEnd {
                if let record = try list.decode(Element.self).record {
                    self.readable.append(record)
                } else {
                    self.unreadable += 1
                }
            }
        }
    }

    private enum CodingKeys: String, CodingKey {
        case receipt
        case latest = "latest_receipt_info"
        case latestExpired = "latest_expired_receipt_info"
        case renewals = "pending_renewal_info"
    }

    private enum ReceiptKeys: String, CodingKey {
        case purchases = "in_app"
    }

    let status: Int
    let isRetryable: Bool
    let environment: String?
    /// The decoded receipt; in the old style, the single transaction itself.
    let receipt: StoreRecord?
    /// The receipt's purchases; nil in the old style.
    let purchases: Records?
    let latest: Records
    let renewals: Records

    /// Decodes an answer and ignores unknown members.
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: `DecodingError` or ``StoreRecord/Unreadable`` if the answer does not have the store's form.
    init(from decoder: any Decoder) throws {
        let outer = try StoreRecord(from: decoder)
        guard let status = try outer.integer("status") else { throw StoreRecord.Unreadable() }
        self.status = status
        self.isRetryable = try outer.flag("is-retryable") ?? outer.flag("is_retryable") ?? true
        self.environment = try outer.text("environment")

        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.receipt = try members.decodeIfPresent(StoreRecord.self, forKey: .receipt)
        self.purchases =
            self.receipt == nil
            ? nil
            : try members.nestedContainer(keyedBy: ReceiptKeys.self, forKey: .receipt)
                .decodeIfPresent(Records.self, forKey: .purchases)
        self.latest =
            try members.decodeIfPresent(Records.self, forKey: .latest)
            ?? members.decodeIfPresent(Records.self, forKey: .latestExpired) ?? Records()
        self.renewals = try members.decodeIfPresent(Records.self, forKey: .renewals) ?? Records()
    }
}

/// The meaning of a status of the verification endpoint for the call.
enum VerifyReceiptVerdict: Equatable {
    /// The store confirms the receipt.
    case ok
    /// The receipt belongs to the other store environment.
    case otherSide
    /// A temporary failure of the store; try again.
    case again(isOutage: Bool)
    /// A malformed receipt or a temporary failure; the store does not distinguish them. Try once more, then reject.
    case retryOnce
    /// The store refuses our request or our secret.
    case misconfigured
    /// The store does not confirm the receipt.
    case rejected
    /// Not an answer of the store.
    case nonsense

    /// Derives the verdict from an answer.
    ///
    /// | status | verdict |
    /// |---|---|
    /// | 0; 21006 with the receipt decoded (old-style subscriptions that have ended) | ok |
    /// | 21007 from production, 21008 from the sandbox | the other side |
    /// | 21002 | once more |
    /// | 21005, 21009 | again, an outage |
    /// | 21100 to 21199 unless marked as not retryable | again |
    /// | 21000, 21004 | misconfigured |
    /// | everything else | rejected |
    init(of answer: VerifyReceiptAnswer, from side: StoreEnvironment) {
        switch answer.status {
        case 0: self = answer.receipt == nil ? .nonsense : .ok
        case 21_006: self = answer.receipt == nil ? .rejected : .ok
        case 21_007: self = side == .production ? .otherSide : .nonsense
        case 21_008: self = side == .sandbox ? .otherSide : .nonsense
        case 21_002: self = .retryOnce
        case 21_005, 21_009: self = .again(isOutage: true)
        case 21_100...21_199: self = answer.isRetryable ? .again(isOutage: false) : .rejected
        case 21_000, 21_004: self = .misconfigured
        default: self = .rejected
        }
    }

    /// The health of the environment that the verdict implies.
    var health: CircuitBreaker.Outcome {
        switch self {
        case .again(isOutage: true): .outage
        case .again, .nonsense: .inconclusive
        case .ok, .otherSide, .retryOnce, .misconfigured, .rejected: .working
        }
    }
}

/// A flat JSON object of a store, whose values may be text, numbers or flags.
///
/// A member that is absent, null or empty text is unknown. A present member that cannot be read is an error: an invalid
/// cancellation date must not be read as "not cancelled".
struct StoreRecord: Decodable, Sendable {
    /// A member is present but has an unexpected form.
    struct Unreadable: Error {}

    private enum Value: Decodable {
        case text(String)
        case integer(Int64)
        case flag(Bool)
        case other

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let text = try? value.decode(String.self) {
                self = .text(text)
            } else if let flag = try? value.decode(Bool.self) {
                self = .flag(flag)
            } else if let number = try? value.decode(Int64.self) {
                self = .integer(number)
            } else {
                self = .other
            }
        }
    }

    private var members: [String: Value]

    init(from decoder: any Decoder) throws {
        self.members = try [String: Value?](from: decoder).compactMapValues { $0 }
    }

    /// Returns this record with the members of another record, which take precedence.
    func overlaid(with other: StoreRecord) -> StoreRecord {
        var result = self
        result.members.merge(other.members) { _, newer in newer }
        return result
    }

    /// Returns text without control characters and of at most 255 bytes; an integer is returned as its digits.
    func text(_ key: String) throws(Unreadable) -> String? {
        switch self.members[key] {
        case nil, .text(""): return nil
        case .text(let text):
            guard text.utf8.count <= 255, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw Unreadable() }
            return text
        case .integer(let number): return String(number)
        case .flag, .other: throw Unreadable()
        }
    }

    func integer(_ key: String) throws(Unreadable) -> Int? {
        guard let text = try self.text(key) else { return nil }
        guard let number = Int(text) else { throw Unreadable() }
        return number
    }

    /// Returns a flag that is written as true or false, or as 1 or 0, with or without quotes.
    func flag(_ key: String) throws(Unreadable) -> Bool? {
        if case .flag(let flag) = self.members[key] { return flag }
        switch try self.text(key)?.lowercased() {
        case nil: return nil
        case "1", "true": return true
        case "0", "false": return false
        default: throw Unreadable()
        }
    }

    /// Returns an instant that the store writes twice: in milliseconds under the key with `_ms`, and as text under the
    /// key itself.
    ///
    /// If the milliseconds are missing, the text is read: `2026-11-22 10:00:00 Etc/GMT`. Old-style receipts have
    /// milliseconds under the key itself.
    func datedInstant(_ key: String) throws(Unreadable) -> Date? {
        if let instant = try self.instant("\(key)_ms") { return instant }
        guard let text = try self.text(key) else { return nil }
        if text.utf8.allSatisfy({ (48...57).contains($0) }) { return try self.instant(key) }
        let words = text.split(separator: " ")
        guard
            words.count == 3, ["Etc/GMT", "GMT", "UTC"].contains(words[2]),
            let instant = Date(storeInstant: "\(words[0])T\(words[1])Z")
        else { throw Unreadable() }
        return instant
    }

    /// Returns an instant from milliseconds since 1970, up to the year 9999.
    func instant(_ key: String) throws(Unreadable) -> Date? {
        guard let text = try self.text(key) else { return nil }
        guard let milliseconds = Int64(text), (1..<253_402_300_800_000).contains(milliseconds) else {
            throw Unreadable()
        }
        return Date(millisecondsSince1970: milliseconds)
    }
}

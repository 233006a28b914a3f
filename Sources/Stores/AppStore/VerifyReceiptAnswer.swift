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

import Foundation

/// The body of the verification endpoint's answer, as far as it matters.
struct VerifyReceiptAnswer: Decodable, Sendable {
    /// A list whose elements each may be no object at all, or a lone object in place of a list of one.
    struct Records: Decodable, Sendable {
        private struct Element: Decodable {
            let record: StoreRecord?

            init(from decoder: any Decoder) throws {
                self.record = try? StoreRecord(from: decoder)
            }
        }

        /// The readable elements, in order.
        var readable: [StoreRecord] = []
        /// How many elements were no objects.
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
    /// The decoded receipt; in the old style this is the one transaction itself.
    let receipt: StoreRecord?
    /// The receipt's purchases, nil in the old style.
    let purchases: Records?
    let latest: Records
    let renewals: Records

    /// Decodes an answer; unknown members are passed over.
    /// - Parameter decoder: the decoder to read from.
    /// - Throws: `DecodingError` or ``StoreRecord/Unreadable`` where the answer is none of the store's.
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

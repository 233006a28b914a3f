public import Foundation

/// The use of everything that one order of a store granted.
public struct OrderUsage: Sendable, Equatable {
    /// One use of the grant.
    public struct Use: Decodable, Sendable, Equatable {
        /// The time of the use.
        public var at: Date
        /// The booked class, or a visit.
        public var what: String
        /// The amount used.
        public var amount: Int64

        private enum CodingKeys: String, CodingKey {
            case at = "used_at"
            case what
            case amount
        }

        /// Decodes a use; its time is in seconds since 1970, as in the views.
        ///
        /// - Parameter decoder: The decoder to read from.
        /// - Throws: `DecodingError` for another form.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.at = Date(timeIntervalSince1970: try members.decode(Double.self, forKey: .at))
            self.what = try members.decode(String.self, forKey: .what)
            self.amount = try members.decode(Int64.self, forKey: .amount)
        }
    }

    /// The granted amount; 0 without a countable grant.
    public var granted: Int64
    /// The spent amount.
    public var spent: Int64
    /// The uses, the latest first.
    public var uses: [Use]
}

public import Foundation

/// What became of everything that one order of a store granted.
public struct OrderUsage: Sendable, Equatable {
    /// One use of it.
    public struct Use: Decodable, Sendable, Equatable {
        /// When.
        public var at: Date
        /// The class that was booked, or a visit.
        public var what: String
        /// How much it took.
        public var amount: Int64

        private enum CodingKeys: String, CodingKey {
            case at = "used_at"
            case what
            case amount
        }

        /// Decodes a use whose instant is in seconds since 1970, as the views write instants.
        /// - Parameter decoder: The decoder to read from.
        /// - Throws: `DecodingError` for another form.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.at = Date(timeIntervalSince1970: try members.decode(Double.self, forKey: .at))
            self.what = try members.decode(String.self, forKey: .what)
            self.amount = try members.decode(Int64.self, forKey: .amount)
        }
    }

    /// How much it granted; 0 where nothing is counted.
    public var granted: Int64
    /// How much of that was spent.
    public var spent: Int64
    /// What for, the latest first.
    public var uses: [Use]
}

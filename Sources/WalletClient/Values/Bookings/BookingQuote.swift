/// The price of a booking and the balance that it would leave.
public struct BookingQuote: Codable, Sendable, Hashable {
    /// A Boolean value that indicates whether the wallet can pay for the booking.
    public var isPayable: Bool
    /// The unit that would pay, `credit` or `visit`; nil if an unlimited plan covers the booking.
    public var unit: BalanceUnit?
    /// The price of all seats.
    public var amount: Int64
    /// The lots that would pay.
    public var lots: [Booking.Slice]
    /// The balance after the booking.
    public var balanceAfter: BalanceSummary

    /// Creates a value with the given properties, for previews and tests.
    public init(
        isPayable: Bool,
        unit: BalanceUnit? = nil,
        amount: Int64,
        lots: [Booking.Slice] = [],
        balanceAfter: BalanceSummary
    ) {
        self.isPayable = isPayable
        self.unit = unit
        self.amount = amount
        self.lots = lots
        self.balanceAfter = balanceAfter
    }

    private enum CodingKeys: String, CodingKey {
        case isPayable = "payable"
        case unit
        case amount
        case lots
        case balanceAfter = "balance_after"
    }
}

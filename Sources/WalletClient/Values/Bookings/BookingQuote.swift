/// What a booking would do, had it been made.
public struct BookingQuote: Codable, Sendable, Hashable {
    /// Whether the wallet can pay for it.
    public var payable: Bool
    /// What it would be paid in, `credit` or `visit`; nil where an unlimited plan covers it.
    public var unit: BalanceUnit?
    /// What it would cost in all.
    public var amount: Int64
    /// Which lots would pay.
    public var lots: [Booking.Slice]
    /// What the wallet would hold afterwards.
    public var balanceAfter: BalanceSummary

    /// Creates a value of the given properties, for previews and tests.
    public init(
        payable: Bool,
        unit: BalanceUnit? = nil,
        amount: Int64,
        lots: [Booking.Slice] = [],
        balanceAfter: BalanceSummary
    ) {
        self.payable = payable
        self.unit = unit
        self.amount = amount
        self.lots = lots
        self.balanceAfter = balanceAfter
    }

    private enum CodingKeys: String, CodingKey {
        case payable
        case unit
        case amount
        case lots
        case balanceAfter = "balance_after"
    }
}

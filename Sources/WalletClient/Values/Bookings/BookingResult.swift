/// A booking together with the current balance.
public struct BookingResult: Codable, Sendable, Hashable {
    /// The booking in its current state.
    public var booking: Booking
    /// The current balance.
    public var balance: BalanceSummary
    /// A Boolean value that indicates whether the booking already existed under this key, so that this call changed
    /// nothing.
    public var isReplayed = false

    /// Creates a value with the given properties, for previews and tests.
    public init(
        booking: Booking,
        balance: BalanceSummary,
        isReplayed: Bool = false
    ) {
        self.booking = booking
        self.balance = balance
        self.isReplayed = isReplayed
    }

    private enum CodingKeys: CodingKey {
        case booking
        case balance
    }
}

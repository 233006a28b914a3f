/// A booking together with the balance after it.
public struct BookingResult: Codable, Sendable, Hashable {
    /// The booking in its present state.
    public var booking: Booking
    /// The wallet's present balance.
    public var balance: BalanceSummary
    /// Whether the booking had been made before under this key; nothing was done this time.
    public var isReplayed = false

    /// Creates a value of the given properties, for previews and tests.
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

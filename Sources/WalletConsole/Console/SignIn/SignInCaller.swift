/// Where a sign-in comes from, and whether it may go on.
public struct SignInCaller: Sendable, Equatable {
    /// The address, as logs name it.
    public let address: String
    /// How many seconds to wait, where too many sign-ins came from there; nil to go on.
    public let wait: Int?

    /// Describes where a sign-in comes from.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - wait: How many seconds to wait; nil to go on.
    public init(address: String, wait: Int?) {
        self.address = address
        self.wait = wait
    }
}

/// The origin of a sign-in step, and whether it may continue.
public struct SignInCaller: Sendable, Equatable {
    /// The client's address, as shown in logs.
    public let address: String
    /// The number of seconds to wait after too many sign-in steps from the address; nil to continue.
    public let wait: Int?

    /// Creates a description of a caller.
    ///
    /// - Parameters:
    ///   - address: The client's address.
    ///   - wait: The number of seconds to wait; nil to continue.
    public init(address: String, wait: Int?) {
        self.address = address
        self.wait = wait
    }
}

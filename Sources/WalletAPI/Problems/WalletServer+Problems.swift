extension WalletServer {
    /// Returns the slug of the problem that a request was refused with, for traces.
    ///
    /// - Parameter error: The error that the router threw.
    /// - Returns: The problem's slug; nil for other errors.
    public static func problem(in error: any Error) -> String? { (error as? Problem)?.slug }
}

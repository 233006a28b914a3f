extension WalletServer {
    /// Reads what a request was refused with, for traces.
    ///
    /// - Parameter error: What the router threw.
    /// - Returns: The slug of the problem that is answered; nil for an error that is none.
    public static func problem(in error: any Error) -> String? { (error as? Problem)?.slug }
}

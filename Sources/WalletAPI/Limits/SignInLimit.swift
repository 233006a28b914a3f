public import Hummingbird
public import Stores

/// Limits the number of sign-in steps from one address, to slow down guessing.
public struct SignInLimit: Sendable {
    private let limiter: RequestLimiter<InternetAddress?>
    private let proxies: TrustedProxies

    /// Creates a limit for sign-ins.
    ///
    /// - Parameters:
    ///   - limit: The number of steps that one address may take; a sign-in has two steps.
    ///   - trustedProxies: The proxies whose forwarding headers are trusted to name the client's address.
    public init(_ limit: RateLimit, trustedProxies: [InternetNetwork]) {
        self.limiter = RequestLimiter(policy: "sign-in", limit: limit)
        self.proxies = TrustedProxies(networks: trustedProxies)
    }

    /// Counts one step.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The request's context.
    /// - Returns: The client's address, and the number of seconds to wait if the address used its quota; nil if the
    ///   step is allowed.
    public func take(_ request: Request, _ context: AppRequestContext) -> (address: String, wait: Int?) {
        let client = self.proxies.client(of: request, context)
        let (isAllowed, standing) = self.limiter.take(client)
        return (client.map { "\($0)" } ?? "unknown", isAllowed ? nil : standing.resetAfter)
    }
}

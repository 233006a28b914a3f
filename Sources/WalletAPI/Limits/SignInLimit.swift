public import Hummingbird
public import Stores

/// Limits how many steps of sign-ins come from one address, so that nobody can try without end.
public struct SignInLimit: Sendable {
    private let limiter: RequestLimiter<InternetAddress?>
    private let proxies: TrustedProxies

    /// Limits sign-ins.
    ///
    /// - Parameters:
    ///   - limit: How many steps one address may take; a sign-in has two.
    ///   - trustedProxies: Proxies that are believed about whom they forward for.
    public init(_ limit: RateLimit, trustedProxies: [InternetNetwork]) {
        self.limiter = RequestLimiter(policy: "sign-in", limit: limit)
        self.proxies = TrustedProxies(networks: trustedProxies)
    }

    /// Counts one step.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: Its context.
    /// - Returns: Where it comes from, and how many seconds to wait where that address took too many; nil to go on.
    public func take(_ request: Request, _ context: AppRequestContext) -> (address: String, wait: Int?) {
        let client = self.proxies.client(of: request, context)
        let (isAllowed, standing) = self.limiter.take(client)
        return (client.map { "\($0)" } ?? "unknown", isAllowed ? nil : standing.resetAfter)
    }
}

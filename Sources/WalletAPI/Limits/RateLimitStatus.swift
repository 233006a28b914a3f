import HTTPTypes

/// Where a user stands against a limit, in the terms of the draft "RateLimit header fields for HTTP".
struct RateLimitStatus: Sendable, Equatable {
    let policy: String
    let limit: RateLimit
    /// How often more within the present window.
    let remaining: Int
    /// Seconds until there is more.
    let resetAfter: Int

    var headers: HTTPFields {
        [
            .rateLimitPolicy: "\"\(self.policy)\";q=\(self.limit.quota);w=\(self.limit.window)",
            .rateLimit: "\"\(self.policy)\";r=\(self.remaining);t=\(self.resetAfter)",
        ]
    }
}

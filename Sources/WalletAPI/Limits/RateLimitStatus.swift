import HTTPTypes

/// Where a user stands against a limit, as the draft "RateLimit header fields for HTTP" tells it.
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

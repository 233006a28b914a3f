import HTTPTypes

/// A user's use of a limit, in the terms of the draft "RateLimit header fields for HTTP".
struct RateLimitStatus: Sendable, Equatable {
    let policy: String
    let limit: RateLimit
    /// The number of operations left within the current window.
    let remaining: Int
    /// The number of seconds until more operations are allowed.
    let resetAfter: Int

    var headers: HTTPFields {
        [
            .rateLimitPolicy: "\"\(self.policy)\";q=\(self.limit.quota);w=\(self.limit.window)",
            .rateLimit: "\"\(self.policy)\";r=\(self.remaining);t=\(self.resetAfter)",
        ]
    }
}

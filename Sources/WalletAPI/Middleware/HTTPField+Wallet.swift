import HTTPTypes

extension HTTPField.Name {
    /// Creates a field name from a valid literal.
    private static func make(_ name: String) -> HTTPField.Name {
        guard let field = HTTPField.Name(name) else { preconditionFailure("\(name) is no field name") }
        return field
    }

    static let requestID = Self.make("X-Request-Id")
    static let idempotencyKey = Self.make("Idempotency-Key")
    static let idempotentReplayed = Self.make("Idempotent-Replayed")
    static let walletEnvironment = Self.make("Wallet-Environment")
    static let walletPosition = Self.make("Wallet-Position")
    static let lastEventID = Self.make("Last-Event-ID")
    static let accelBuffering = Self.make("X-Accel-Buffering")
    static let referrerPolicy = Self.make("Referrer-Policy")
    static let forwardedFor = Self.make("X-Forwarded-For")
    static let link = Self.make("Link")
    static let rateLimit = Self.make("RateLimit")
    static let rateLimitPolicy = Self.make("RateLimit-Policy")
}

extension HTTPFields {
    /// Returns the same value as the subscript, but does not allocate a new string for a field that occurs once.
    func value(of name: HTTPField.Name) -> String? {
        let values = self[values: name]
        return values.count > 1 ? self[name] : values.first
    }
}

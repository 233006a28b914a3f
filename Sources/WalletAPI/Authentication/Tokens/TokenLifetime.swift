/// The time in which a token counts, in seconds since 1970.
struct TokenLifetime: Sendable {
    let expiresAt: Double
    let notBefore: Double?
    let issuedAt: Double?

    /// Refuses a token outside its time, allowing for clocks that differ.
    func check(now: Double, leeway: Double) throws(WalletAPIError) {
        guard now < self.expiresAt + leeway else { throw .refused("The token has expired.") }
        if let notBefore = self.notBefore, now < notBefore - leeway {
            throw .refused("The token is not valid yet.")
        }
        // Its account's end ends a token by when it was issued: one of the future would outlive it.
        if let issuedAt = self.issuedAt, issuedAt > now + leeway {
            throw .refused("The token was issued in the future.")
        }
    }

    /// Returns how much of a token's time is left, allowing for clocks that differ; a century at most.
    func remaining(now: Double, leeway: Double) -> Duration {
        .seconds(min(max(self.expiresAt + leeway - now, 0), 3_155_760_000))
    }
}

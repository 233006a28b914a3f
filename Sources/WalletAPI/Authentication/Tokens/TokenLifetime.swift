/// The time range in which a token is valid, in seconds since 1970.
struct TokenLifetime: Sendable {
    let expiresAt: Double
    let notBefore: Double?
    let issuedAt: Double?

    /// Refuses a token outside its time range, with an allowance for differing clocks.
    func check(now: Double, leeway: Double) throws(WalletAPIError) {
        guard now < self.expiresAt + leeway else { throw .refused("The token has expired.") }
        if let notBefore = self.notBefore, now < notBefore - leeway {
            throw .refused("The token is not valid yet.")
        }
        // The deletion of an account invalidates tokens by their issue time; a token issued in the future would survive
        // it.
        if let issuedAt = self.issuedAt, issuedAt > now + leeway {
            throw .refused("The token was issued in the future.")
        }
    }

    /// Returns the remaining validity, with an allowance for differing clocks; at most a century.
    func remaining(now: Double, leeway: Double) -> Duration {
        .seconds(min(max(self.expiresAt + leeway - now, 0), 3_155_760_000))
    }
}

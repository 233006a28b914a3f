import Stores

extension TokenClaims {
    /// The time range in which the token is valid.
    var lifetime: TokenLifetime {
        TokenLifetime(expiresAt: self.expiresAt, notBefore: self.notBefore, issuedAt: self.issuedAt)
    }

    /// Refuses a token that was issued for another audience.
    func checkAudience(_ accepted: [String]) throws(WalletAPIError) {
        guard self.audiences.contains(where: accepted.map { ExactText($0) }.contains) else {
            throw .refused("The token is for another audience.")
        }
    }

    /// Refuses tokens without a usable subject, such as Supabase's project keys.
    func checkedSubject() throws(WalletAPIError) -> String {
        guard let subject = self.subject else { throw .refused("The token has no subject.") }
        guard Subject.isAcceptable(subject) else { throw .refused("The token's subject is not valid.") }
        return subject
    }

    /// Refuses project keys, which every installed app contains or which identify a server.
    func checkUserRole() throws(WalletAPIError) {
        if self.role == "anon" || self.role == "service_role" {
            throw .refused("A project key is not a user's token.")
        }
    }

    /// Refuses operator tokens that live too long or have no issue time.
    func checkLifetime(atMost lifetime: Double) throws(WalletAPIError) {
        guard let issuedAt = self.issuedAt else { throw .refused("An operator's token must have an issue time (iat).") }
        guard self.expiresAt - issuedAt <= lifetime else {
            throw .refused("An operator's token is valid for too long.")
        }
    }
}

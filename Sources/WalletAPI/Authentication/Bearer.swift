import Foundation
import Stores
import Wallet

/// Whom a bearer token speaks for, and what it says of them.
struct Bearer: Sendable {
    let user: UserID
    let issuer: ExactText
    let issuedAt: Date?
    let isAnonymous: Bool
    let account: AdmittedAccount
    /// For how long the token is let in from when it was looked at.
    let remaining: Duration

    /// The user as the wallet lets one in.
    var caller: Caller {
        Caller(self.user, issuedAt: self.issuedAt, isAnonymous: self.isAnonymous, account: self.account)
    }
}

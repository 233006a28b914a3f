import Foundation
import Stores
import Wallet

/// The user that a verified bearer token identifies, with the claims that the wallet uses.
struct Bearer: Sendable {
    let user: UserID
    let issuer: ExactText
    let issuedAt: Date?
    let isAnonymous: Bool
    let account: AdmittedAccount
    /// The remaining time in which the token is accepted, counted from its verification.
    let remaining: Duration

    /// The user in the form that the wallet's functions take.
    var caller: Caller {
        Caller(self.user, issuedAt: self.issuedAt, isAnonymous: self.isAnonymous, account: self.account)
    }
}

import Foundation
import Stores
import Wallet

/// Whom a bearer token speaks for, and what it says of them.
struct Bearer: Sendable {
    let user: UserID
    let issuer: ExactText
    let issuedAt: Date?
    let isAnonymous: Bool
    /// For how long the token is let in from when it was looked at.
    let remaining: Duration
}

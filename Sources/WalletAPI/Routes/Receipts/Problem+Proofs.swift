import HTTPTypes
import StoreSync

extension Problem {
    /// Creates a problem that explains why a proof of purchase was refused.
    init(_ error: StoreSyncError) {
        switch error.code {
        case .storeNotEnabled:
            self = .malformed("\(error.subject ?? "These purchases") are not enabled on this service.")
        case .rateLimited:
            self.init(.tooManyRequests, "rate-limited", "Too many store requests were made for this user.")
        case .proofRequired:
            self.init(
                .forbidden,
                "proof-of-purchase-required",
                "A transaction id alone is not proof of this purchase; send the signed transaction."
            )
        case .noPurchaseFound:
            self.init(.unprocessableContent, "no-purchase-found", "The proof contains no such purchase.")
        case .transactionAlreadyClaimed:
            self.init(
                .conflict,
                "transaction-already-claimed",
                "The purchase has been credited to another account."
            )
        case .accountTokenMismatch:
            self.init(.forbidden, "account-token-mismatch", "The purchase was made for another account.")
        default: self = .internalError
        }
    }
}

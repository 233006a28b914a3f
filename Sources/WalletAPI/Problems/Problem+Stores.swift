import Foundation
import HTTPTypes
import Stores
import Wallet

extension Problem {
    /// Creates a problem from a store's result for a proof of purchase, or from a failure to reach the store.
    init(_ error: StoreError) {
        let storeStatus = error.storeStatus.map { ["store_status": JSONValue.number(Decimal($0))] } ?? [:]
        switch error.code {
        case .malformedReceipt:
            self.init(.badRequest, "malformed-receipt", "The receipt is empty, too large or not base64.")
        case .malformedSignedData:
            self.init(.badRequest, "malformed-receipt", "The signed data does not have the store's format.")
        case .invalidCertificate, .invalidSignature, .wrongEnvironment, .testSignature, .unreadable, .notFound:
            self.init(
                .unprocessableContent,
                "receipt-rejected",
                "The store did not confirm this purchase: \(error.code).",
                members: storeStatus
            )
        case .unsignedTransaction:
            self.init(.badRequest, "unsigned-transaction", "The transaction must be signed by the store.")
        case .rejected:
            self.init(
                .unprocessableContent,
                "receipt-rejected",
                "The store rejected this receipt. Do not send it again.",
                members: storeStatus
            )
        case .wrongApp:
            self.init(.unprocessableContent, "wrong-app", "The receipt was issued for another app.")
        default:
            self.init(
                .serviceUnavailable,
                "verification-unavailable",
                "The store cannot be reached now. Nothing was lost; send the same receipt again later.",
                retryAfter: error.retryAfter ?? 30
            )
        }
    }
}

import Foundation
import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import StoreSync
import Stores
import Wallet

extension Problem {
    /// Maps an error to the problem of the API's contract; returns nil for an unexpected error.
    init?(_ error: any Error) {
        switch error {
        case let error as Problem: self = error
        case let error as WalletError: self.init(error)
        case let error as StoreError: self.init(error)
        case let error as StoreSyncError: self.init(error)
        case let error as WalletAPIError: self.init(error)
        case let error as DecodingError: self = .malformed(error.explanation(of: Data()))
        case is NIOTooManyBytesError: self = .payloadTooLarge(BodyLimit.standard)
        case let error as HTTPError: self.init(error)
        case is CancellationError: self.init(.serviceUnavailable, "overloaded", "The service cancelled the request.")
        default: return nil
        }
    }

    /// Creates a problem from a refusal or failure of the wallet.
    init(_ error: WalletError) {
        if error.status == 401 {
            self = .unauthenticated("The token was issued before the account was deleted or merged.")
            return
        }
        let (detail, members) = error.described
        self.init(
            HTTPResponse.Status(code: error.code),
            error.slug,
            detail,
            members: members,
            retryAfter: error.retryAfter
        )
    }

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

    private init(_ error: WalletAPIError) {
        switch error.code {
        case .unauthenticated: self = .unauthenticated(error.reason)
        case .keysUnavailable:
            self.init(
                .serviceUnavailable,
                "authentication-unavailable",
                error.reason,
                retryAfter: error.retryAfter
            )
        default: self = .internalError
        }
    }

    private init(_ error: HTTPError) {
        switch error.status {
        case .notFound: self = .routeNotFound
        case .contentTooLarge: self = .payloadTooLarge(BodyLimit.standard)
        case .badRequest: self = .malformed("The request cannot be understood.")
        case .unsupportedMediaType: self.init(.unsupportedMediaType, "unsupported-media-type")
        default: self.init(error.status, error.status.code < 500 ? "malformed-request" : "internal-error")
        }
    }
}

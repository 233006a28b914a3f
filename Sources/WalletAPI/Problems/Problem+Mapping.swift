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

    private init(_ error: WalletError) {
        if error.status == 401 {
            self = .unauthenticated("The token was issued before the account was deleted or merged.")
            return
        }
        let members = Self.members(error.membersJSON)
        self.init(
            HTTPResponse.Status(code: (400...599).contains(error.status) ? error.status : 500),
            error.slug,
            Self.detail(error.slug, members),
            // The detail already contains the received value, shortened.
            members: members.filter { $0.key != "received" },
            retryAfter: error.retryAfter
        )
    }

    /// Decodes the members that a SQL function wrote.
    ///
    /// Text that is not a JSON object is ignored, because the slug suffices.
    private static func members(_ json: String?) -> [String: JSONValue] {
        guard let json else { return [:] }
        do {
            return try JSONDecoder().decode([String: JSONValue].self, from: Data(json.utf8))
        } catch {
            return [:]
        }
    }

    /// Returns a sentence for the members of a refusal; nil for most slugs, whose title and members suffice.
    private static func detail(_ slug: String, _ members: [String: JSONValue]) -> String? {
        switch slug {
        case "insufficient-credits": return Self.shortage(members)
        case "malformed-request":
            guard case .text(let name) = members["parameter"], case .text(let allowed) = members["allowed"] else {
                return nil
            }
            guard case .text(let received) = members["received"] else {
                return "The parameter \"\(name)\" is required: \(allowed)."
            }
            return "The parameter \"\(name)\" must be \(allowed); received \(Received(received))."
        case "balance-too-low": return Self.lowBalance(members)
        case "purchase-not-found":
            guard case .text(let environment) = members["environment"] else { return nil }
            return "The purchase is in the \(environment) wallet. Send Wallet-Environment: \(environment)."
        default: return nil
        }
    }

    /// Returns a sentence with the missing amount, which can be shown to the user.
    ///
    /// - Parameter members: The refusal's members.
    /// - Returns: A sentence such as "You need 15 more credits."; nil if the members are incomplete.
    static func shortage(_ members: [String: JSONValue]) -> String? {
        guard case .number(let needed) = members["credits_needed"], case .text(let unit) = members["unit"] else {
            return nil
        }
        let noun = needed == 1 ? unit : unit + "s"
        return "You need \(needed) more \(noun)."
    }

    /// Returns a sentence with the amount that an operator wants to deduct and the balance.
    ///
    /// - Parameter members: The refusal's members.
    /// - Returns: A sentence such as "Cannot deduct 10 credits; the balance is 5."; nil if the members are incomplete.
    private static func lowBalance(_ members: [String: JSONValue]) -> String? {
        guard case .number(let required) = members["required"], case .number(let available) = members["available"],
            case .text(let unit) = members["unit"]
        else { return nil }
        let noun = required == 1 ? unit : unit + "s"
        return "Cannot deduct \(required) \(noun); the balance is \(available)."
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

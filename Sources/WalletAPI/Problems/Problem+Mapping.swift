import Foundation
import HTTPTypes
import Hummingbird
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
}

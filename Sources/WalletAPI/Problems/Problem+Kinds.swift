import HTTPTypes
import Wallet

extension Problem {
    static func malformed(_ detail: String) -> Problem {
        Problem(.badRequest, "malformed-request", detail)
    }

    static func unauthenticated(_ reason: String) -> Problem {
        // If the request has no token, RFC 6750 requires the challenge without an error code.
        let challenge =
            reason == BearerCredentials.missing
            ? "Bearer realm=\"credit-wallet\""
            : "Bearer realm=\"credit-wallet\", error=\"invalid_token\""
        return Problem(.unauthorized, "unauthenticated", reason, headers: [.wwwAuthenticate: challenge])
    }

    static func payloadTooLarge(_ limit: Int) -> Problem {
        Problem(.contentTooLarge, "payload-too-large", "The body must not exceed \(limit) bytes.")
    }

    static var headersTooLarge: Problem {
        Problem(
            .requestHeaderFieldsTooLarge,
            "headers-too-large",
            "The request line or the header fields are too large or too many."
        )
    }

    static var requestTimeout: Problem {
        Problem(.requestTimeout, "request-timeout", "The request did not arrive in time.")
    }

    static var transferCodingUnsupported: Problem {
        Problem(.notImplemented, "transfer-coding-unsupported", "The only supported transfer coding is chunked.")
    }

    static func unsupportedMediaType() -> Problem {
        Problem(
            .unsupportedMediaType,
            "unsupported-media-type",
            "The body must be sent as application/json in UTF-8.",
            headers: [.accept: "application/json"]
        )
    }

    static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Problem {
        let names = allowed.map(\.rawValue).sorted().joined(separator: ", ")
        return Problem(.methodNotAllowed, "method-not-allowed", "Allowed methods: \(names).", headers: [.allow: names])
    }

    static func notFound(_ slug: String, _ detail: String) -> Problem {
        Problem(.notFound, slug, detail)
    }

    /// The operator's token is valid, but none of its claims maps to a right.
    static var rightMissing: Problem {
        Problem(
            .forbidden,
            "right-missing",
            "The token grants no operator role.",
            members: ["right": .null, "needs": .text("viewer")]
        )
    }

    static var routeNotFound: Problem {
        .notFound("route-not-found", "No route has this path.")
    }

    static var internalError: Problem {
        Problem(.internalServerError, "internal-error", "The error was logged under the request id.")
    }
}

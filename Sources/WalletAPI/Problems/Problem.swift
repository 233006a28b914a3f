import Foundation
package import HTTPTypes
package import Hummingbird
package import JSON
import NIOCore
package import Wallet

/// A refusal or failure in the form of RFC 9457, with the response that carries it.
///
/// Routes and middlewares throw it instead of returning it, so that metrics and traces see the status.
package struct Problem: HTTPResponseError {
    /// The format in which a problem is sent.
    package struct Format: Sendable {
        /// The format of RFC 9457.
        static let document = Format(contentType: "application/problem+json") { $0.document }

        let contentType: String
        let members: @Sendable (Problem) -> [String: JSONValue]

        /// Creates a format.
        ///
        /// - Parameters:
        ///   - contentType: The media type of the body.
        ///   - members: A closure that returns the members of the body.
        package init(contentType: String, members: @escaping @Sendable (Problem) -> [String: JSONValue]) {
            self.contentType = contentType
            self.members = members
        }
    }

    /// The text that precedes the slug in the `type` member.
    static let typeBase = "https://credit-wallet.example/problems/"
    /// The number of seconds to wait before a retry, if the error has no better value.
    static let defaultRetryAfter = 1

    package var status: HTTPResponse.Status
    package var slug: String
    package var detail: String?
    package var members: [String: JSONValue] = [:]
    var headers: HTTPFields = [:]
    package var requestID: String?
    package var format = Format.document

    package init(
        _ status: HTTPResponse.Status,
        _ slug: String,
        _ detail: String? = nil,
        members: [String: JSONValue] = [:],
        headers: HTTPFields = [:],
        retryAfter: Int? = nil
    ) {
        self.status = status
        self.slug = slug
        self.detail = detail
        self.members = members
        self.headers = headers
        // Both statuses invite a retry, so both always set `Retry-After`.
        if status == .tooManyRequests || status == .serviceUnavailable {
            self.headers[.retryAfter] = String(max(retryAfter ?? Self.defaultRetryAfter, 1))
        }
    }

    package func response(from request: Request, context: some RequestContext) throws -> Response {
        let body = ByteBuffer(bytes: try WireJSON.encoder.encode(self.format.members(self)))
        var headers = self.headers
        headers[.contentType] = self.format.contentType
        headers[.contentLength] = String(body.readableBytes)
        headers[.cacheControl] = "no-store"
        headers[.requestID] = self.requestID
        return Response(status: self.status, headers: headers, body: ResponseBody(byteBuffer: body))
    }

    /// Returns the detail; nil if it only repeats the title.
    private func detail(beside title: String) -> String? {
        self.detail == "\(title)." ? nil : self.detail
    }

    /// All members of the document; standard members replace extension members of the same name.
    var document: [String: JSONValue] {
        var document = self.members
        document["type"] = .text(Self.typeBase + self.slug)
        let title = ProblemType.title(of: self.slug, status: self.status.code)
        document["title"] = .text(title)
        document["status"] = .number(Decimal(self.status.code))
        document["detail"] = self.detail(beside: title).map { .text($0) }
        document["request_id"] = self.requestID.map { .text($0) }
        return document
    }
}

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

    package static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Problem {
        let names = allowed.map(\.rawValue).sorted().joined(separator: ", ")
        return Problem(.methodNotAllowed, "method-not-allowed", "Allowed methods: \(names).", headers: [.allow: names])
    }

    package static func notFound(_ slug: String, _ detail: String) -> Problem {
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

extension Problem {
    /// Returns a problem that names a wrong member of the body, the rule for its value, and the received value.
    package static func member(_ name: String, _ rule: String, _ received: Received? = nil) -> Problem {
        Problem(.member(name, rule, received))
    }

    /// Returns a problem that names a wrong query parameter, the rule for its value, and the received value.
    package static func parameter(_ name: String, _ rule: String, _ received: Received? = nil) -> Problem {
        Problem(.parameter(name, rule, received))
    }

    /// Returns a problem that names a wrong header field, the rule for its value, and the received values.
    static func header(_ name: String, _ rule: String, _ received: [String]) -> Problem {
        .malformed("The header field \(name) \(rule); received \(Received(received.joined(separator: ", "))).")
    }
}

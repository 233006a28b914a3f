package import HTTPTypes
import Hummingbird
import Logging

/// Sets the request id, and adds the common header fields to each response.
///
/// The request id is the client's if it is safe to log. Fields that a route sets are kept. A response to an
/// authenticated request is not cached unless its route sets `Cache-Control`.
struct ResponseHeadersMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    /// A Boolean value that indicates whether this server has a page for each problem, which the `Link` field then
    /// names.
    ///
    /// The problem's `type` is the same on every server and is not a working address.
    var hasReference = false

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let brought = request.headers.value(of: .requestID), Self.isSafe(brought) { context.requestID = brought }
        context.logger[metadataKey: "request_id"] = .string(context.requestID)
        do {
            var response = try await next(request, context)
            response.headers.append(HTTPField(name: .requestID, value: context.requestID))
            response.headers.addSecurityFields()
            if !response.headers.contains(.cacheControl), request.headers.contains(.authorization) {
                response.headers.append(HTTPField(name: .cacheControl, value: "no-store"))
            }
            return response
        } catch var problem as Problem {
            problem.requestID = context.requestID
            problem.headers.addSecurityFields()
            if self.hasReference { problem.headers[.link] = "</problems/\(problem.slug)>; rel=\"help\"" }
            throw problem
        }
    }

    /// Accepts 1 to 64 letters, digits, dots, dashes and underscores, so that an id cannot forge a log line or a
    /// header.
    private static func isSafe(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

extension HTTPFields {
    /// Disables content sniffing and referrers, and prevents a response that is shown as a page from loading or being
    /// framed.
    private static let security: HTTPFields = [
        .xContentTypeOptions: "nosniff",
        .referrerPolicy: "no-referrer",
        .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
    ]

    /// Adds the security fields that the response does not set itself.
    mutating func addSecurityFields() {
        for field in Self.security where !self.contains(field.name) { self.append(field) }
    }
}

extension HTTPField.Name {
    /// Creates a field name from a valid literal.
    private static func make(_ name: String) -> HTTPField.Name {
        guard let field = HTTPField.Name(name) else { preconditionFailure("\(name) is no field name") }
        return field
    }

    static let requestID = Self.make("X-Request-Id")
    static let idempotencyKey = Self.make("Idempotency-Key")
    package static let idempotentReplayed = Self.make("Idempotent-Replayed")
    static let walletEnvironment = Self.make("Wallet-Environment")
    static let walletPosition = Self.make("Wallet-Position")
    static let lastEventID = Self.make("Last-Event-ID")
    static let accelBuffering = Self.make("X-Accel-Buffering")
    static let referrerPolicy = Self.make("Referrer-Policy")
    static let forwardedFor = Self.make("X-Forwarded-For")
    static let link = Self.make("Link")
    static let rateLimit = Self.make("RateLimit")
    static let rateLimitPolicy = Self.make("RateLimit-Policy")
}

extension HTTPFields {
    /// Returns the same value as the subscript, but does not allocate a new string for a field that occurs once.
    func value(of name: HTTPField.Name) -> String? {
        let values = self[values: name]
        return values.count > 1 ? self[name] : values.first
    }
}

import HTTPTypes
import Hummingbird
import Logging

/// Gives each request the id that it brings, if that is safe to repeat, and each answer the fields that all answers
/// have.
///
/// What a route says of itself stands. An answer to somebody who proved who they are is kept nowhere unless its route
/// says how.
struct ResponseHeadersMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    /// Whether each problem has a page here, which its `Link` names: `type` names the problem on every server and
    /// leads nowhere.
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

    /// 1 to 64 letters, digits, dots, dashes and underscores: nothing that could forge a log line or a header.
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
    /// No guessing of types, no address passed on, and nothing loaded or framed where an answer is shown as a page.
    private static let security: HTTPFields = [
        .xContentTypeOptions: "nosniff",
        .referrerPolicy: "no-referrer",
        .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
    ]

    /// Informs browsers to make nothing of an answer but what it is, where it does not say so already.
    mutating func addSecurityFields() {
        for field in Self.security where !self.contains(field.name) { self.append(field) }
    }
}

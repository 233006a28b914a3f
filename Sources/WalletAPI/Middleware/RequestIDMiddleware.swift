import HTTPTypes
import Hummingbird
import Logging

/// Gives each request the id that it brings, if that is safe to repeat, and tells it in every answer.
struct RequestIDMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let brought = request.headers[.requestID], Self.isSafe(brought) { context.requestID = brought }
        context.logger[metadataKey: "request_id"] = .string(context.requestID)
        do {
            var response = try await next(request, context)
            response.headers[.requestID] = context.requestID
            return response
        } catch var problem as Problem {
            problem.requestID = context.requestID
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

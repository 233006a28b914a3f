import Hummingbird
import NIOCore

import class Foundation.JSONEncoder

/// An error of the App Store Server API.
struct ServerAPIError: Error {
    let status: HTTPResponse.Status
    let code: Int
    let message: String

    static let badRequest = ServerAPIError(status: .badRequest, code: 4_000_000, message: "Bad request.")
    static let invalidRevision = ServerAPIError(
        status: .badRequest,
        code: 4_000_005,
        message: "Invalid request revision."
    )
    static let invalidTransactionID = ServerAPIError(
        status: .badRequest,
        code: 4_000_006,
        message: "Invalid transaction id."
    )
    static let startAfterEnd = ServerAPIError(
        status: .badRequest,
        code: 4_000_013,
        message: "Invalid request. The end date precedes the start date or the dates are the same."
    )
    static let invalidPaginationToken = ServerAPIError(
        status: .badRequest,
        code: 4_000_014,
        message: "Invalid request. The pagination token is invalid."
    )
    static let invalidCustomerConsented = ServerAPIError(
        status: .badRequest,
        code: 4_000_035,
        message: "Invalid request. The customer consented field is invalid or missing."
    )
    static let transactionNotFound = ServerAPIError(
        status: .notFound,
        code: 4_040_010,
        message: "Transaction id not found."
    )

    func response() throws -> Response {
        let body: AppleJSON = .object(["errorCode": .number(self.code), "errorMessage": .text(self.message)])
        return Response(
            status: self.status,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try JSONEncoder().encode(body)))
        )
    }
}

/// Converts the API's errors to its own error format.
struct ServerAPIErrorMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: SandboxContext,
        next: (Request, SandboxContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as ServerAPIError {
            return try error.response()
        }
    }
}

import Foundation
import Hummingbird
import JSON
import Logging
import NIOCore

extension Request {
    private static let largestBody = 2 * 1_024 * 1_024

    /// Reads the body of a control request.
    /// - Parameters:
    ///   - type: The type of the body.
    ///   - context: The request's context.
    /// - Returns: The body.
    /// - Throws: ``ControlRefusal`` with the invalid member's name in the request.
    func control<Body: Decodable>(_ type: Body.Type, _ context: SandboxContext) async throws -> Body {
        guard let body = try await self.options(type, context) else {
            throw ControlRefusal.invalid("The body is missing; it must be a JSON object.")
        }
        return body
    }

    /// Reads the optional body of a control request.
    /// - Parameters:
    ///   - type: The type of the body.
    ///   - context: The request's context.
    /// - Returns: The body; nil if it is empty.
    /// - Throws: ``ControlRefusal`` with the invalid member's name in the request.
    func options<Body: Decodable>(_ type: Body.Type, _ context: SandboxContext) async throws -> Body? {
        let body: ByteBuffer
        do {
            body = try await self.body.collect(upTo: Self.largestBody)
        } catch is NIOTooManyBytesError {
            throw HTTPError(.contentTooLarge)
        }
        guard body.readableBytes > 0 else { return nil }
        do {
            return try context.requestDecoder.decode(type, from: Data(body.readableBytesView))
        } catch let error as DecodingError {
            throw ControlRefusal.invalid(error.explanation)
        }
    }
}

extension DecodingError {
    /// A sentence with the invalid member and the rule that it violates.
    fileprivate var explanation: String {
        switch self {
        case .keyNotFound(let key, let context):
            "The member \"\(Self.path(context.codingPath + [key]))\" is required."
        case .valueNotFound(_, let context) where !context.codingPath.isEmpty:
            "The member \"\(Self.path(context.codingPath))\" must not be null."
        case .typeMismatch(let type, let context) where !context.codingPath.isEmpty:
            "The member \"\(Self.path(context.codingPath))\" must be \(Self.name(of: type))."
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            "The member \"\(Self.path(context.codingPath))\" has an invalid value."
        case .dataCorrupted: "The body is not valid JSON."
        default: "The body must be a JSON object."
        }
    }

    /// Returns a coding path in the request's snake case; the decoder has converted it to camel case.
    private static func path(_ path: [any CodingKey]) -> String {
        path.map { key in key.intValue.map(String.init) ?? key.stringValue.snakeCase }.joined(separator: ".")
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type: "a whole number"
        case is any ExpressibleByArrayLiteral.Type: "a list"
        default: "an object"
        }
    }
}

extension String {
    fileprivate var snakeCase: String {
        self.reduce(into: "") { name, character in
            if character.isUppercase { name.append("_") }
            name.append(character.lowercased())
        }
    }
}

/// A refusal of a control, sent as a problem document (RFC 9457).
struct ControlRefusal: Error {
    private static let typeBase = "https://credit-wallet.example/problems/"

    let status: HTTPResponse.Status
    let slug: String
    let title: String
    /// A full sentence about the problem.
    let detail: String

    static func notFound(_ what: String) -> ControlRefusal {
        ControlRefusal(
            status: .notFound,
            slug: "\(what)-not-found",
            title: "There is no such \(what)",
            detail: "The sandbox stores have no \(what) with this id."
        )
    }

    static func invalid(_ detail: String) -> ControlRefusal {
        ControlRefusal(
            status: .badRequest,
            slug: "malformed-request",
            title: "The request cannot be understood",
            detail: detail
        )
    }

    /// Returns the refusal of one member of a body.
    /// - Parameters:
    ///   - name: The member's name in the request.
    ///   - rule: The violated rule, such as "must be from 1 to 10".
    ///   - received: The received value.
    /// - Returns: The refusal.
    static func member(_ name: String, _ rule: String, received: String) -> ControlRefusal {
        .invalid("The member \"\(name)\" \(rule); received \(received).")
    }

    static func unknownStep(_ step: String, known: [String]) -> ControlRefusal {
        ControlRefusal(
            status: .notFound,
            slug: "step-not-found",
            title: "There is no such step",
            detail: "There is no step \"\(step)\"; the steps are \(known.joined(separator: ", "))."
        )
    }

    static func conflict(_ detail: String) -> ControlRefusal {
        ControlRefusal(
            status: .conflict,
            slug: "conflict",
            title: "The request conflicts with existing data",
            detail: detail
        )
    }

    func response(requestID: String?) throws -> Response {
        let document = JSONValue.object([
            "type": .text(Self.typeBase + self.slug),
            "title": .text(self.title),
            "status": .integer(self.status.code),
            "detail": .text(self.detail),
            "request_id": .optional(requestID),
        ]).withoutNulls
        return Response(
            status: self.status,
            headers: [.contentType: "application/problem+json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: document.jsonData))
        )
    }
}

extension ControlRefusal {
    /// Creates a refusal from an error of the router or of reading the body.
    init(_ error: HTTPError, path: String) {
        switch error.status {
        case .notFound:
            self.init(
                status: .notFound,
                slug: "route-not-found",
                title: "There is no such route",
                detail: "No control has the path \(path) with this method; deploy/sandbox.md lists them all."
            )
        case .contentTooLarge:
            self.init(
                status: error.status,
                slug: "payload-too-large",
                title: "The body is too large",
                detail: "The body must not exceed 2 MiB."
            )
        default:
            self.init(
                status: error.status,
                slug: "malformed-request",
                title: "The request cannot be understood",
                detail: error.body ?? "The body must be a JSON object."
            )
        }
    }
}

/// Converts refusals of the controls to problem documents, the same format as the wallet's.
///
/// The store endpoints answer like the real stores.
struct SandboxErrorMiddleware: RouterMiddleware {
    let isControl: @Sendable (_ path: String) -> Bool

    func handle(
        _ request: Request,
        context: SandboxContext,
        next: (Request, SandboxContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let refusal as ControlRefusal {
            return try refusal.response(requestID: Self.id(of: context))
        } catch let error as HTTPError where self.isControl(request.uri.path) {
            return try ControlRefusal(error, path: request.uri.path)
                .response(requestID: Self.id(of: context))
        }
    }

    /// Returns the id under which the framework logs the request; the context's own `id` is a path parameter.
    private static func id(of context: SandboxContext) -> String? {
        context.logger[metadataKey: "hb.request.id"]?.description
    }
}

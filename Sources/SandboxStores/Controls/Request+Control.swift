import Foundation
import Hummingbird
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

import Foundation
import Hummingbird
import NIOCore

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
        let document = StoreJSON.object([
            "type": .text(Self.typeBase + self.slug),
            "title": .text(self.title),
            "status": .number(Int64(self.status.code)),
            "detail": .text(self.detail),
            "request_id": .optional(requestID),
        ]).withoutNulls
        return Response(
            status: self.status,
            headers: [.contentType: "application/problem+json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try document.bytes))
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

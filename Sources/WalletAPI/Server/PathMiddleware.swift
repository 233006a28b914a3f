import Foundation
import Hummingbird

/// Answers 404 to a path that another program could interpret differently, before authentication.
///
/// The router ignores doubled slashes, and a proxy may resolve dots, decode escapes or treat `\` as `/`. A proxy's rule
/// that protects `/operator` must not be bypassed by `//operator`.
struct PathMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        guard request.hasPlainPath else { throw Problem.routeNotFound }
        return try await next(request, context)
    }
}

extension Request {
    /// A Boolean value that indicates whether every segment of the path has only one interpretation.
    var hasPlainPath: Bool {
        let path = self.uri.path
        if path == "/" || Self.isLiteral(path.utf8) { return true }
        return path.utf8.first == UInt8(ascii: "/")
            && path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).allSatisfy(Self.isName)
    }

    /// Returns whether the path has no byte with several interpretations; this fast check covers most paths.
    private static func isLiteral(_ path: String.UTF8View) -> Bool {
        var previous: UInt8?
        for byte in path {
            switch byte {
            case UInt8(ascii: "."), UInt8(ascii: "%"), UInt8(ascii: "\\"): return false
            case UInt8(ascii: "/") where previous == UInt8(ascii: "/"): return false
            default: previous = byte
            }
        }
        return path.first == UInt8(ascii: "/") && previous != UInt8(ascii: "/")
    }

    private static func isName(_ segment: Substring) -> Bool {
        let isLiteral = segment.utf8.allSatisfy { byte in
            byte != UInt8(ascii: ".") && byte != UInt8(ascii: "%") && byte != UInt8(ascii: "\\")
        }
        if isLiteral { return !segment.isEmpty }
        guard let name = segment.removingPercentEncoding else { return false }
        return name != "." && name != ".."
            && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
    }
}

import Foundation
import Hummingbird

/// Answers 404 to a path that somebody else could read as another one, before it is asked who wants it.
///
/// The router passes over doubled slashes, and what stands before the service may resolve dots, decode escapes or take
/// `\` for `/`: a rule there that guards `/operator` must not be passed by `//operator`.
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
    /// Whether every segment of the path is a name that stands for itself, however it is read.
    var hasPlainPath: Bool {
        let path = self.uri.path
        if path == "/" || Self.isLiteral(path.utf8) { return true }
        return path.utf8.first == UInt8(ascii: "/")
            && path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).allSatisfy(Self.isName)
    }

    /// Whether all segments are names without a byte that could be read in another way, as those of most paths are.
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

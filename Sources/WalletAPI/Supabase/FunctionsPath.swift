import Hummingbird

/// Recognises requests to the Supabase API, and returns advice for functions that no longer exist.
enum FunctionsPath {
    /// The prefix of all paths of the Supabase API.
    static let prefix = "functions/v1"

    /// Returns whether a request's path belongs to the Supabase API, even if no route matches.
    static func covers(_ request: Request) -> Bool {
        let parts = request.uri.path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 2)
        return parts.count > 1 && parts[0].elementsEqual("functions".utf8) && parts[1].elementsEqual("v1".utf8)
    }

    /// Returns the replacement for a function that sold credits by card; nil for other paths.
    static func advice(for request: Request) -> String? {
        let function = Self.parts(of: request).dropFirst(2)
        guard Self.sellers.contains(where: { function.starts(with: $0) }) else { return nil }
        return "Users buy credits in the app's store. Send the purchase to POST /\(Self.prefix)/validate-receipt."
    }

    private static let sellers: [[Substring]] = [
        ["credit-packs", "purchase"], ["purchase-credits"], ["payments"], ["credit-webhooks"],
    ]

    /// Returns the path's segments.
    ///
    /// Doubled slashes are ignored here; such a path is refused elsewhere, in the Supabase format.
    private static func parts(of request: Request) -> [Substring] {
        request.uri.path.split(separator: "/")
    }
}

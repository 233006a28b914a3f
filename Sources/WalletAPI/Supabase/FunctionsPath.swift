import Hummingbird

/// Returns which requests are of the Supabase face, and what once stood where nothing stands now.
enum FunctionsPath {
    /// What all its paths begin with.
    static let prefix = "functions/v1"

    /// Whether a request is of the face, also one that no route takes.
    static func covers(_ request: Request) -> Bool {
        let parts = request.uri.path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 2)
        return parts.count > 1 && parts[0].elementsEqual("functions".utf8) && parts[1].elementsEqual("v1".utf8)
    }

    /// Says what to call instead of a function that sold credits by card; nil for any other path.
    static func advice(for request: Request) -> String? {
        let function = Self.parts(of: request).dropFirst(2)
        guard Self.sellers.contains(where: { function.starts(with: $0) }) else { return nil }
        return "Credits are bought in the app's store; hand the purchase in with POST /\(Self.prefix)/validate-receipt."
    }

    private static let sellers: [[Substring]] = [
        ["credit-packs", "purchase"], ["purchase-credits"], ["payments"], ["credit-webhooks"],
    ]

    /// Doubled slashes are passed over: such a path is refused, and in the face's own form.
    private static func parts(of request: Request) -> [Substring] {
        request.uri.path.split(separator: "/")
    }
}

import Hummingbird

/// A request to a page by a signed-in operator.
struct Visit: Sendable {
    let request: Request
    let session: ConsoleSession
    let interface: OperatorInterface
    let formToken: String
    /// A Boolean value that indicates whether the operator must sign in again before changing money.
    let isStale: Bool

    /// Returns a query parameter; empty if it is absent.
    func query(_ name: String) -> String {
        self.request.uri.queryParameters[name[...]].map(String.init) ?? ""
    }

    /// All query parameters by name; if a parameter is given twice, the first value is used.
    var queries: [String: String] {
        Dictionary(self.request.uri.queryParameters.map { (String($0.key), String($0.value)) }) { first, _ in first }
    }
}

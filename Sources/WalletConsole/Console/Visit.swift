import Hummingbird

/// One request to a page, by somebody who has signed in.
struct Visit: Sendable {
    let request: Request
    let session: ConsoleSession
    let interface: OperatorInterface
    let formToken: String
    /// Whether the operator has to sign in again before money moves.
    let isStale: Bool

    /// A parameter of the query; empty where there is none.
    func query(_ name: String) -> String {
        self.request.uri.queryParameters[name[...]].map(String.init) ?? ""
    }

    /// All parameters of the query by name; of those given twice, the first.
    var queries: [String: String] {
        Dictionary(self.request.uri.queryParameters.map { (String($0.key), String($0.value)) }) { first, _ in first }
    }
}

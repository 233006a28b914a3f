public import Hummingbird

/// The demo page of `dev`: an app's phone, the store's buttons and the ledger side by side.
///
/// - `GET /` (public)
/// - `GET /demo/{file}` (public): the page's scripts and styles
public struct DemoPage: Sendable {
    private static let index = "index.html"

    private let files = StaticFiles(EmbeddedDemo.files)

    /// Creates the page.
    public init() {}

    /// Adds the page and its files to a router.
    ///
    /// - Parameter group: The router.
    public func add(to group: some RouterMethods<some RequestContext>) {
        group.get("/") { request, _ in self.files.response(Self.index, to: request) }
        for name in self.files.names where name != Self.index {
            group.get("demo/\(name)") { request, _ in self.files.response(name, to: request) }
        }
    }
}

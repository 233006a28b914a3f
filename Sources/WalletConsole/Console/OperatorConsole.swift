import HTTPTypes
public import Hummingbird
import NIOCore
import Wallet

/// The operator console: pages rendered by the server, which work without scripts.
///
/// It offers the functions of the API's operator routes to the signed-in operator.
///
/// - `GET /console` and the pages below it; `POST /console/actions/{name}`
/// - `GET /console/sign-in`, `POST /console/sign-out`; with one-click sign-in `POST /console/sign-in`, with an issuer
///   `GET /console/begin-sign-in` and `GET /console/signed-in`
public struct OperatorConsole<Context: RequestContext>: Sendable {
    /// Answers a request to an operator route, on behalf of an operator.
    public typealias Interface = @Sendable (Request, ConsoleOperator, Context) async throws -> Response
    /// Counts a sign-in step and returns its caller.
    public typealias Gate = @Sendable (Request, Context) -> SignInCaller

    let configuration: ConsoleConfiguration
    let keeper: SessionKeeper
    let templates: ConsoleTemplates
    private let actions: ActionPages
    private let files: StaticFiles
    let gate: Gate
    let interface: Interface

    /// Creates the console.
    ///
    /// - Parameters:
    ///   - configuration: The sign-in method and the lifetimes of sessions.
    ///   - ended: The storage of sessions that were signed out.
    ///   - gate: A closure that counts sign-ins at an issuer.
    ///   - interface: A closure that answers requests to the operator routes.
    public init(
        _ configuration: ConsoleConfiguration,
        ended: EndedSessions,
        gate: @escaping Gate,
        interface: @escaping Interface
    ) {
        self.configuration = configuration
        self.keeper = SessionKeeper(configuration: configuration, ended: ended)
        self.templates = ConsoleTemplates()
        self.actions = ActionPages(templates: self.templates, apiURL: configuration.apiURL)
        self.files = StaticFiles(EmbeddedConsole.files.filter { !$0.path.hasSuffix(".mustache") } + StaticFiles.icon)
        self.gate = gate
        self.interface = interface
    }

    /// Adds the pages to a router.
    ///
    /// - Parameter group: The router.
    public func add(to group: some RouterMethods<Context>) {
        for name in self.files.names {
            group.get("console/\(name)") { request, _ in self.files.response(name, to: request) }
        }
        self.addSignIn(to: group)
        group.get("console") { request, context in
            try await self.page(request, context, at: "") { try await self.home($0) }
        }
        group.get("console/user") { request, context in
            try await self.page(request, context, at: "user") { visit in
                let user = visit.query("user_id")
                return (user, self.templates.draw("user", try await UserPage(user, visit)))
            }
        }
        group.get("console/class") { request, context in
            try await self.page(request, context, at: "list/classes") { visit in
                let page = try await ClassPage(visit.query("class_id"), visit)
                return (page.title, self.templates.draw("class", page))
            }
        }
        group.get("console/reports") { request, context in
            try await self.page(request, context, at: "reports") { visit in
                ("Reports", self.templates.draw("reports", try await ReportsPage(visit)))
            }
        }
        group.get("console/health") { request, context in
            try await self.page(request, context, at: "health") { visit in
                let page = try await HealthPage(visit, metrics: self.configuration.metrics?())
                return ("Health", self.templates.draw("health", page))
            }
        }
        self.addLists(to: group)
        self.addActions(to: group)
        group.get("console/**") { request, context in
            try await self.visit(request, context) { _ in
                throw ConsoleProblem(status: 404, title: "The console has no such page.")
            }
        }
    }

    private func addLists(to group: some RouterMethods<Context>) {
        for list in OperatorList.all where !["lots", "roster", "waitlist"].contains(list.name) {
            let path = "list/\(list.path)"
            group.get("console/\(path)") { request, context in
                try await self.visit(request, context) { visit in
                    var asked = visit.queries
                    guard asked["format"] != "csv" else { return try await Self.csv(list, visit) }
                    asked["limit"] = "50"
                    let page = ListPage(list, try await visit.interface.get(list.route, asked), visit)
                    return try self.response(page.title, self.templates.draw("list", page), at: path, visit)
                }
            }
        }
    }

    private func addActions(to group: some RouterMethods<Context>) {
        for action in ConsoleAction.all {
            group.get("console/actions/\(action.name)") { request, context in
                try await self.visit(request, context) { visit in
                    if let again = try self.signInAgain(before: action, visit) { return again }
                    return try self.response(
                        action.title,
                        try await self.actions.form(action, visit),
                        at: "actions",
                        visit
                    )
                }
            }
            group.post("console/actions/\(action.name)") { request, context in
                try await self.visit(request, context) { visit in
                    let values = try await self.form(visit)
                    if let again = try self.signInAgain(before: action, visit) { return again }
                    let content = try await self.actions.answer(action, values, visit)
                    return try self.response(action.title, content, at: "actions", visit)
                }
            }
        }
    }

    /// Streams a whole list as one file, page after page, as fast as the browser reads it.
    ///
    /// If a page cannot be read, the connection ends, so that the browser reports a broken download.
    private static func csv(_ list: OperatorList, _ visit: Visit) async throws -> Response {
        let filters = visit.queries.filter { list.filterNames.contains($0.key) }
        let asked = filters.merging(["format": "csv", "limit": "100"]) { $1 }
        let first = try await visit.interface.send(OperatorCall(.get, list.route, query: asked))
        var headers = first.response.headers
        headers[.contentLength] = nil
        HTTPField.Name("Link").map { headers[$0] = nil }
        let body = ResponseBody { writer in
            var (response, rows) = first
            try await writer.write(rows)
            while let cursor = Self.nextCursor(of: response) {
                let query = asked.merging(["cursor": cursor]) { $1 }
                (response, rows) = try await visit.interface.send(OperatorCall(.get, list.route, query: query))
                // The first page already contains the names of the columns.
                if let end = rows.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
                    rows.moveReaderIndex(to: end + 1)
                }
                try await writer.write(rows)
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    /// Returns the cursor from the `Link` to the next page; nil on the last page.
    private static func nextCursor(of response: Response) -> String? {
        guard
            let link = response.headers.value(of: "Link"), link.hasSuffix("rel=\"next\""),
            let query = link.firstIndex(of: "?"), let end = link.firstIndex(of: ">"), query < end
        else { return nil }
        return FormText(String(link[link.index(after: query)..<end])).values["cursor"]
    }

    /// Renders the overview or the results of a search.
    private func home(_ visit: Visit) async throws -> (title: String, content: String) {
        let page = try await HomePage(visit)
        return (page.title, self.templates.draw("home", page))
    }
}

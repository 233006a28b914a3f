import Foundation
import HTTPTypes
public import Hummingbird
import Logging
import NIOCore
public import Wallet

/// The operator console: pages rendered by the server, which work without scripts.
///
/// It calls the same methods of ``Wallet/Wallet`` as the API's operator routes, for the signed-in operator.
///
/// - `GET /console` and the pages below it; `POST /console/actions/{name}`
/// - `GET /console/sign-in`, `POST /console/sign-out`; with one-click sign-in `POST /console/sign-in`, with an issuer
///   `GET /console/begin-sign-in` and `GET /console/signed-in`
public struct OperatorConsole<Context: RequestContext>: Sendable {
    /// Counts a sign-in step and returns its caller.
    public typealias Gate = @Sendable (Request, Context) -> SignInCaller

    let configuration: ConsoleConfiguration
    let keeper: SessionKeeper
    let templates: ConsoleTemplates
    private let files: StaticFiles
    let gate: Gate
    private let wallet: Wallet
    private let limits: OperatorLimits
    private let refusals = RefusalMetrics()

    /// Creates the console, whose metrics are assigned to the current wallet.
    ///
    /// - Parameters:
    ///   - configuration: The sign-in method and the lifetimes of sessions.
    ///   - wallet: The wallet, on the connections of the operators.
    ///   - limits: The maximum amounts that operators may add and deduct.
    ///   - ended: The storage of sessions that were signed out.
    ///   - gate: A closure that counts sign-ins at an issuer.
    public init(
        _ configuration: ConsoleConfiguration,
        wallet: Wallet,
        limits: OperatorLimits,
        ended: EndedSessions,
        gate: @escaping Gate
    ) {
        self.configuration = configuration
        self.keeper = SessionKeeper(configuration: configuration, ended: ended)
        self.templates = ConsoleTemplates()
        self.files = StaticFiles(EmbeddedConsole.files.filter { !$0.path.hasSuffix(".mustache") } + StaticFiles.icon)
        self.gate = gate
        self.wallet = wallet
        self.limits = limits
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
            try await self.visit(request, context) { visit in
                guard !visit.query("text").isEmpty else {
                    return try self.response(
                        "Today",
                        self.templates.draw("home", try await HomePage(visit)),
                        at: "",
                        visit
                    )
                }
                let page = try await SearchPage(visit)
                if let only = page.only { return Self.redirect(to: only) }
                return try self.response("Search", self.templates.draw("search", page), at: "", visit)
            }
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

    /// Renders a page for a signed-in operator.
    func page(
        _ request: Request,
        _ context: Context,
        at path: String,
        _ draw: (Visit) async throws -> (title: String, content: String)
    ) async throws -> Response {
        try await self.visit(request, context) { visit in
            let (title, content) = try await draw(visit)
            return try self.response(title, content, at: path, visit)
        }
    }

    /// Answers a request of a signed-in operator; redirects other requests to the sign-in.
    func visit(
        _ request: Request,
        _ context: Context,
        _ answer: (Visit) async throws -> Response
    ) async throws -> Response {
        let session: ConsoleSession?
        do {
            session = try await self.keeper.session(of: request)
        } catch let error as WalletError where error.status == 503 {
            // It is unknown whether the session was signed out, so the page shows no data.
            context.logger.warning("the database did not respond, so a console session could not be checked")
            return self.problem(
                ConsoleProblem(
                    status: 503,
                    title: "The database is unavailable.",
                    detail: "You are still signed in. Try again.",
                    retryAfter: error.retryAfter ?? 1
                )
            )
        }
        guard let session else { return Self.signInFirst(request) }
        let visit = Visit(
            request: request,
            session: session,
            interface: OperatorInterface(
                wallet: self.wallet,
                limits: self.limits,
                refusals: self.refusals,
                actor: OperatorIdentity(id: UserID(rawValue: session.owner.id), right: session.owner.right),
                logger: context.logger
            ),
            formToken: self.keeper.formToken(of: session),
            isStale: self.keeper.isStale(session)
        )
        var response: Response
        do {
            response = try await answer(visit)
        } catch let problem as ConsoleProblem {
            context.logger.info("a console page could not be shown", metadata: ["status": "\(problem.status)"])
            response = try self.response(
                problem.title,
                self.templates.draw("problem", problem),
                at: "problem",
                visit,
                status: HTTPResponse.Status(code: problem.status)
            )
            response.headers[.retryAfter] = problem.retryAfter.map(String.init)
        }
        // A refresh by a page's script is not an activity of the operator, so it does not extend the session.
        let isAsked = request.headers.value(of: "X-Requested-With") == nil
        if isAsked { try self.keeper.keep(session, in: &response) }
        return response
    }

    /// Renders a page in its frame.
    func response(
        _ title: String,
        _ content: String,
        at path: String,
        _ visit: Visit,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let frame = PageFrame(title, content, at: path, searched: visit.query("text"), visit)
        return Self.html(self.templates.draw("frame", frame), status: status)
    }

    /// Renders a problem for a request without a known session.
    func problem(_ problem: ConsoleProblem) -> Response {
        var response = Self.html(
            self.templates.draw("frame", PageFrame(problem.title, self.templates.draw("problem", problem))),
            status: HTTPResponse.Status(code: problem.status)
        )
        response.headers[.retryAfter] = problem.retryAfter.map(String.init)
        return response
    }

    /// Returns the values of a form after checking that a page of the same session sent it.
    func form(_ visit: Visit) async throws -> [String: String] {
        guard let values = await Self.form(of: visit.request) else {
            throw ConsoleProblem(status: 400, title: "The form cannot be read.")
        }
        guard self.isForm(values, of: visit.session) else { throw Self.foreignForm }
        return values
    }

    /// Returns the fields of a form; nil for a body of another type.
    static func form(of request: Request) async -> [String: String]? {
        guard
            request.headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true,
            let body = try? await request.body.collect(upTo: Self.largestForm)
        else { return nil }
        return FormText(String(buffer: body)).values
    }

    /// Returns whether a page of this session sent the form.
    func isForm(_ values: [String: String], of session: ConsoleSession) -> Bool {
        values["form_token"].map { self.keeper.isFormToken($0, of: session) } ?? false
    }

    static var foreignForm: ConsoleProblem {
        ConsoleProblem(
            status: 403,
            title: "The form belongs to another session.",
            detail: "Open the page again and send the form from there."
        )
    }

    /// The maximum size of a form in bytes; enough for a list of thousands of users.
    static var largestForm: Int { 256 * 1_024 }

    static func redirect(to address: String) -> Response {
        Response(status: .seeOther, headers: [.location: address, .cacheControl: "no-store"])
    }

    static func html(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        let body = ByteBuffer(string: text)
        var headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .contentLength: String(body.readableBytes),
            .cacheControl: "no-store",
            .contentSecurityPolicy: "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
                + "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        ]
        // Without this policy, browsers send forms of the page with `Origin: null`.
        headers.set("Referrer-Policy", "same-origin")
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}

/// A request to a page by a signed-in operator.
struct Visit: Sendable {
    let request: Request
    let session: ConsoleSession
    let interface: OperatorInterface
    let formToken: String
    /// A Boolean value that indicates whether the operator must sign in again before changing money.
    let isStale: Bool
    /// The time zone in which the pages show times and forms read them.
    var zone: StudioTimeZone { self.interface.wallet.studioTimeZone }

    /// Returns a query parameter; empty if it is absent.
    func query(_ name: String) -> String {
        self.request.uri.queryParameters[name[...]].map(String.init) ?? ""
    }

    /// All query parameters by name; if a parameter is given twice, the first value is used.
    var queries: [String: String] {
        Dictionary(self.request.uri.queryParameters.map { (String($0.key), String($0.value)) }) { first, _ in first }
    }
}

import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Wallet

extension OperatorConsole {
    /// Adds the pages for signing in and out.
    func addSignIn(to group: some RouterMethods<Context>) {
        group.get("console/sign-in") { request, _ in try self.signInPage(request) }
        switch self.configuration.signIn {
        case .oneClick(let owner):
            group.post("console/sign-in") { request, _ in try await self.signIn(request, as: owner) }
        case .openID(let client, let owner):
            let signIn = OpenIDPages(console: self, client: client, owner: owner)
            group.get("console/begin-sign-in") { request, context in try await signIn.begin(request, context) }
            group.get("console/signed-in") { request, context in try await signIn.finish(request, context) }
        }
        group.post("console/sign-out") { request, context in
            try await self.signOut(request, context)
        }
    }

    /// Renders the page on which a sign-in begins.
    ///
    /// With an issuer, the page has a link instead of a form, because the content security policy allows forms only to
    /// this site.
    private func signInPage(_ request: Request) throws -> Response {
        let parameters = request.uri.queryParameters
        let back = Self.ownPath(parameters["return_to"].map(String.init) ?? "")
        let again = parameters["again"] == "true"
        let isOneClick = if case .oneClick = self.configuration.signIn { true } else { false }
        let begin = WebAddress.page("begin-sign-in", ["return_to": back, "again": again ? "true" : ""])
        let page = SignInPage(returnTo: back, beginAddress: begin, isOneClick: isOneClick, isAgain: again)
        return Self.html(self.templates.draw("frame", PageFrame("Sign in", self.templates.draw("sign-in", page))))
    }

    /// Signs the operator in with one click and redirects to the requested page.
    ///
    /// There is no session yet, so the form has no token. Another site could only sign the user in as this one
    /// operator.
    private func signIn(_ request: Request, as owner: ConsoleOperator) async throws -> Response {
        let body = (try? await request.body.collect(upTo: Self.largestForm)).map { String(buffer: $0) } ?? ""
        var response = Self.redirect(to: Self.ownPath(FormText(body).values["return_to"] ?? ""))
        let now = self.configuration.now()
        do {
            let session = ConsoleSession(of: owner, signedInAt: now, at: now)
            try await self.keeper.begin(session, replacing: request, in: &response)
        } catch let error as WalletError where error.status == 503 {
            return self.signInProblem(.unavailable(retryAfter: error.retryAfter))
        }
        return response
    }

    /// Ends a session.
    ///
    /// The cookie is removed even if the database cannot store the end of the session.
    private func signOut(_ request: Request, _ context: Context) async throws -> Response {
        guard let session = self.keeper.held(by: request) else { return Self.signInFirst(request) }
        guard let values = await Self.form(of: request), self.isForm(values, of: session) else {
            return self.problem(Self.foreignForm)
        }
        var response: Response
        do {
            try await self.keeper.end(session)
            response = try self.signedOutPage(await self.issuerSignOut(context))
        } catch let error as WalletError where error.status == 503 {
            context.logger.error(
                "the end of a console session could not be stored",
                metadata: ["operator": "\(session.owner.id)"]
            )
            response = self.problem(
                ConsoleProblem(
                    status: 503,
                    title: "You are signed out in this browser only.",
                    detail: "The database is unavailable, so the end of the session could not be stored. The session "
                        + "expires at \(self.keeper.end(of: session).formatted(.iso8601)). To end it immediately, an "
                        + "administrator must change CONSOLE_SECRET.",
                    retryAfter: error.retryAfter ?? 1
                )
            )
        }
        self.keeper.remove(from: &response)
        return response
    }

    private func signedOutPage(_ issuerAddress: String?) throws -> Response {
        let content = self.templates.draw("signed-out", issuerAddress.map { ["issuerAddress": $0] } ?? [:])
        return Self.html(self.templates.draw("frame", PageFrame("Signed out", content)))
    }

    /// Returns the issuer's sign-out address; nil if the issuer has none or is unavailable.
    private func issuerSignOut(_ context: Context) async -> String? {
        guard case .openID(let client, _) = self.configuration.signIn else { return nil }
        do {
            return try await client.endSessionURL()
        } catch {
            context.logger.warning(
                "the issuer's sign-out address is unavailable",
                metadata: ["reason": "\(error.reason)"]
            )
            return nil
        }
    }

    /// Redirects to the sign-in, which later returns to the page if the request was a GET.
    static func signInFirst(_ request: Request, again: Bool = false) -> Response {
        let back = request.method == .get ? request.head.path ?? "" : ""
        return self.redirect(to: WebAddress.page("sign-in", ["return_to": back, "again": again ? "true" : ""]))
    }

    /// Returns a path of the console, or its start page for any other text, so that redirects never leave the console.
    static func ownPath(_ text: String) -> String {
        let isOwn = text == "/console" || text.hasPrefix("/console?") || text.hasPrefix("/console/")
        return isOwn && PendingSignIn.isOwnPath(text) ? text : "/console"
    }

    /// Renders the reason of a failed sign-in.
    func signInProblem(_ problem: SignInProblem) -> Response {
        let content = self.templates.draw("sign-in-problem", problem)
        var response = Self.html(
            self.templates.draw("frame", PageFrame(problem.title, content)),
            status: problem.status
        )
        if let wait = problem.retryAfter { response.headers[.retryAfter] = String(wait) }
        return response
    }
}

/// The values for the template of the sign-in page.
private struct SignInPage: Sendable {
    let returnTo: String
    let beginAddress: String
    let isOneClick: Bool
    /// A Boolean value that indicates whether the operator signed in too long ago for the requested action.
    let isAgain: Bool
}

/// The reason of a failed sign-in, as a page shows it.
struct SignInProblem: Error, Sendable {
    let title: String
    let reason: String
    let status: HTTPResponse.Status
    /// The number of seconds to wait before a retry; nil if no value is known.
    var retryAfter: Int?

    /// A sign-in that this service or the issuer refused.
    init(_ error: SignInError) {
        self.title = "You are not signed in."
        self.reason = error.reason
        switch error {
        case .issuerUnavailable, .answerTooLarge, .answerUnreadable, .anotherIssuer, .issuerUnsuitable, .clientRefused,
            .exchangeRefused:
            self.status = .serviceUnavailable
            self.retryAfter = 5
        case .invalidConfiguration, .returnPath, .state, .tooLate, .declined, .authorizationRefused, .codeRefused,
            .idToken, .notAuthenticatedAgain, .noAuthenticationTime, .responseIssuer:
            self.status = .badRequest
        }
    }

    /// The issuer authenticated the user, but no claim grants a right in this console.
    static let withoutRight = Self(
        title: "You have no access to this console.",
        reason: "You signed in at the issuer, but it assigns you no role for this console. Ask the console's "
            + "administrator for access.",
        status: .forbidden
    )

    /// The browser has no pending sign-in.
    static let notBegun = Self(
        title: "You are not signed in.",
        reason: "No sign-in is pending in this browser; it may be completed already. Sign in again.",
        status: .badRequest
    )

    /// The database is unavailable, so an earlier session could not be ended.
    static func unavailable(retryAfter: Int?) -> Self {
        var problem = Self(
            title: "You are not signed in.",
            reason: "The database is unavailable. Try again.",
            status: .serviceUnavailable
        )
        problem.retryAfter = retryAfter ?? 1
        return problem
    }

    /// Too many sign-ins came from this address.
    static func tooMany(wait: Int) -> Self {
        var problem = Self(
            title: "Too many sign-ins.",
            reason: "Too many sign-ins came from your address. Try again in \(wait) seconds.",
            status: .tooManyRequests
        )
        problem.retryAfter = wait
        return problem
    }

    private init(title: String, reason: String, status: HTTPResponse.Status) {
        self.title = title
        self.reason = reason
        self.status = status
    }
}

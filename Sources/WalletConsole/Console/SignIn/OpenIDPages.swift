import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Wallet

/// The two steps of a sign-in at an issuer: the redirect to the issuer, and the return.
struct OpenIDPages<Context: RequestContext>: Sendable {
    typealias Console = OperatorConsole<Context>

    let console: Console
    let client: OpenIDClient
    let owner: @Sendable (OpenIDIdentity) -> ConsoleOperator?

    private var configuration: ConsoleConfiguration { self.console.configuration }
    private var cookie: SignInCookie { SignInCookie(configuration: self.configuration) }

    /// Redirects the browser to the issuer.
    func begin(_ request: Request, _ context: Context) async throws -> Response {
        try await self.guarded(request, context) {
            let parameters = request.uri.queryParameters
            let (url, pending) = try await self.client.authorization(
                returnTo: Console.ownPath(parameters["return_to"].map(String.init) ?? ""),
                again: parameters["again"] == "true",
                maximumAge: self.configuration.lifetime,
                now: self.configuration.now()
            )
            var response = Console.redirect(to: url)
            try self.cookie.keep(pending, in: &response)
            return response
        }
    }

    /// Handles the browser's return from the issuer, and begins the operator's session.
    func finish(_ request: Request, _ context: Context) async throws -> Response {
        var response = try await self.guarded(request, context) {
            let identity = try await self.identity(request)
            guard let owner = self.owner(identity) else {
                context.logger.warning(
                    "refused a sign-in to the console: the user has no operator role",
                    metadata: ["issuer": "\(identity.issuer)"]
                )
                throw SignInProblem.withoutRight
            }
            var response = Console.redirect(to: self.cookie.pending(of: request)?.returnTo ?? WebAddress.page(""))
            let session = ConsoleSession(
                of: owner,
                signedInAt: identity.authenticatedAt,
                at: self.configuration.now()
            )
            try await self.console.keeper.begin(session, replacing: request, in: &response)
            context.logger.info("an operator signed in to the console", metadata: ["operator": "\(owner.id)"])
            if identity.authenticatedAt == nil {
                context.logger.warning(
                    "the issuer's ID token has no auth_time, so this operator cannot change balances and prices"
                )
            }
            return response
        }
        self.cookie.remove(from: &response)
        return response
    }

    private func identity(_ request: Request) async throws -> OpenIDIdentity {
        guard let pending = self.cookie.pending(of: request) else { throw SignInProblem.notBegun }
        let parameters = request.uri.queryParameters
        func parameter(_ name: Substring) -> String? { parameters[name].map(String.init) }
        let (state, now) = (parameter("state") ?? "", self.configuration.now())
        if let error = parameter("error") {
            throw self.client.refusal(error: error, state: state, pending: pending, now: now)
        }
        return try await self.client.identity(
            code: parameter("code") ?? "",
            state: state,
            issuer: parameter("iss"),
            pending: pending,
            now: now
        )
    }

    /// Counts the sign-in step.
    ///
    /// Logs and shows the reason of a failure; neither contains a secret.
    private func guarded(
        _ request: Request,
        _ context: Context,
        _ answer: () async throws -> Response
    ) async throws -> Response {
        let caller = self.console.gate(request, context)
        let problem: SignInProblem
        do {
            if let wait = caller.wait { throw SignInProblem.tooMany(wait: wait) }
            return try await answer()
        } catch let error as SignInError {
            problem = SignInProblem(error)
        } catch let error as SignInProblem {
            problem = error
        } catch let error as WalletError where error.status == 503 {
            problem = .unavailable(retryAfter: error.retryAfter)
        }
        context.logger.warning(
            "a sign-in to the console failed",
            metadata: ["address": "\(caller.address)", "reason": "\(problem.reason)"]
        )
        return self.console.signInProblem(problem)
    }
}

/// Stores a pending sign-in in the browser until the issuer redirects the browser back.
struct SignInCookie: Sendable {
    private static let name = "wallet-console-sign-in"

    let configuration: ConsoleConfiguration

    private var seal: Seal { self.configuration.seal(for: "console sign-in") }

    /// Returns the pending sign-in of this browser; nil if there is none.
    func pending(of request: Request) -> PendingSignIn? {
        request.cookies[self.configuration.cookieName(Self.name)].flatMap { self.seal.open($0.value) }
    }

    /// Stores a pending sign-in in the browser.
    func keep(_ pending: PendingSignIn, in response: inout Response) throws {
        let sealed = try self.seal.seal(pending)
        response.setCookie(self.configuration.cookie(Self.name, sealed, for: PendingSignIn.lifetime))
    }

    /// Removes the pending sign-in, because it can be completed only once.
    func remove(from response: inout Response) {
        response.setCookie(self.configuration.cookie(Self.name, "", for: 0))
    }
}

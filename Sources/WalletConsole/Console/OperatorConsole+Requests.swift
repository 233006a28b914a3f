import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Wallet

extension OperatorConsole {
    /// The maximum size of a form in bytes.
    static var largestForm: Int { 16 * 1_024 }

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
        let interface = self.interface
        let visit = Visit(
            request: request,
            session: session,
            interface: OperatorInterface(owner: session.owner) { try await interface($0, session.owner, context) },
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

    /// Returns a redirect to the sign-in if the action changes money and the last sign-in is too old; otherwise nil.
    ///
    /// - Throws: ``ConsoleProblem`` 403 if the issuer does not report the time of the sign-in. Another sign-in would
    ///   not help.
    func signInAgain(before action: ConsoleAction, _ visit: Visit) throws -> Response? {
        guard action.movesMoney, visit.isStale else { return nil }
        guard visit.session.signedInAt != nil else {
            throw ConsoleProblem(
                status: 403,
                title: "This sign-in does not allow actions that move money.",
                detail: "The issuer's ID token has no auth_time, so the time of your sign-in is unknown. Ask the "
                    + "console's administrator to configure the issuer to send it, then sign in again."
            )
        }
        return Self.signInFirst(visit.request, again: true)
    }

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

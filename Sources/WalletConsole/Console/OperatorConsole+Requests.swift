import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Wallet

extension OperatorConsole {
    /// The largest form that is read, in bytes.
    static var largestForm: Int { 16 * 1_024 }

    /// Draws a page for somebody who has signed in.
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

    /// Answers somebody who has signed in; anybody else is led to the sign-in.
    func visit(
        _ request: Request,
        _ context: Context,
        _ answer: (Visit) async throws -> Response
    ) async throws -> Response {
        guard let session = try await self.keeper.session(of: request) else { return Self.signInFirst(request) }
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
            context.logger.info("the console cannot show a page", metadata: ["status": "\(problem.status)"])
            response = try self.response(
                problem.title,
                self.templates.draw("problem", problem),
                at: "",
                visit,
                status: HTTPResponse.Status(code: problem.status)
            )
        }
        // What a page's script asks for is not the operator.
        let isAsked = request.headers.value(of: "X-Requested-With") == nil
        if isAsked, request.head.path?.hasPrefix("/console/sign-out") != true {
            try self.keeper.keep(session, in: &response)
        }
        return response
    }

    /// Puts a page into its frame.
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

    /// Reads a form that was sent from a page of the same session.
    func form(_ visit: Visit) async throws -> [String: String] {
        guard
            visit.request.headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true,
            let body = try? await visit.request.body.collect(upTo: Self.largestForm)
        else { throw ConsoleProblem(status: 400, title: "The form cannot be read.") }
        let values = FormText(String(buffer: body)).values
        guard let token = values["form_token"], self.keeper.isFormToken(token, of: visit.session) else {
            throw ConsoleProblem(
                status: 403,
                title: "The form is not from this session.",
                detail: "Open the page again, and send it from there."
            )
        }
        return values
    }

    /// Leads to the sign-in where money is to move and the last one is too long ago.
    func signInAgain(before action: ConsoleAction, _ visit: Visit) -> Response? {
        guard action.movesMoney, visit.isStale else { return nil }
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
        // Without it a browser says of a form's page that it comes from nowhere (`Origin: null`).
        headers.set("Referrer-Policy", "same-origin")
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}

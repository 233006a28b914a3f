import HTTPTypes
import Hummingbird
import Wallet

/// Allows standbys to answer the reads of clients that send a position, and returns each client its new position.
///
/// A position records how far a client has seen the ledger. An app sends it in the header `Wallet-Position`, and the
/// operators' pages send it in cookies. This middleware runs outside ``ProblemMiddleware``, because a refusal also
/// shows data.
struct ReadPositionMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    private let standbys: Standbys
    /// The names of the cookies: for requests that only read, and for forms.
    private let read: String
    private let written: String

    init(standbys: Standbys) {
        self.standbys = standbys
        // Cookies do not distinguish ports, and one host may serve the consoles of several wallets.
        self.read = "wallet-position" + (standbys.wallet.map { "-\($0)" } ?? "")
        self.written = self.read + "-written"
    }

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        let isPage = request.uri.path.hasPrefix(Self.pages)
        guard let brought = isPage ? self.seen(by: request) : request.headers[.walletPosition] else {
            return try await next(request, context)
        }
        let session = ReadSession(after: brought, isRead: [.get, .head].contains(request.method))
        do {
            var response = try await session.run { try await next(request, context) }
            let token = await self.standbys.token(after: session)
            if !isPage {
                response.headers[.walletPosition] = token
                // A cache must not give one client's position to another client.
                response.headers.append(HTTPField(name: .vary, value: HTTPField.Name.walletPosition.rawName))
            } else if token != brought {
                response.setCookie(self.cookie(token, session))
            }
            return response
        } catch var problem as Problem {
            let token = await self.standbys.token(after: session)
            if !isPage {
                problem.headers[.walletPosition] = token
            } else if token != brought {
                problem.headers[.setCookie] = self.cookie(token, session).description
            }
            throw problem
        }
    }

    /// Returns the newest position in a browser's cookies.
    private func seen(by request: Request) -> String {
        [self.read, self.written].compactMap { request.cookies[$0]?.value }.max() ?? Standbys.latest
    }

    /// Creates the cookie with the position of a request.
    ///
    /// Read-only requests use a separate cookie. A browser sends many requests at once, and the response to a read must
    /// not overwrite the position that a form stored. A browser whose cookies have expired reads from the primary.
    private func cookie(_ token: String, _ session: ReadSession) -> Cookie {
        Cookie(
            name: session.isRead ? self.read : self.written,
            value: token,
            maxAge: 600,
            path: Self.pages,
            httpOnly: true,
            sameSite: .lax
        )
    }

    private static let pages = "/console"
}

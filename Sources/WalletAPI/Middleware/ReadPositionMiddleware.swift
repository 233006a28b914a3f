import HTTPTypes
import Hummingbird
import Wallet

/// Lets the reads of clients that join in go to standbys, and answers each of them how far it has seen the books.
///
/// An app joins in by the header `Wallet-Position`; the operators' pages join in by cookies of the same meaning. It
/// stands outside ``ProblemMiddleware``: a refusal, too, shows the books.
struct ReadPositionMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    private let standbys: Standbys
    /// What pages carry: of what only reads, and of forms.
    private let read: String
    private let written: String

    init(standbys: Standbys) {
        self.standbys = standbys
        // Cookies know no port, and one host may have the consoles of several wallets.
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
                // No cache may hand one client's position to another.
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

    /// How far a browser has seen the books: what its cookies say that says most.
    private func seen(by request: Request) -> String {
        [self.read, self.written].compactMap { request.cookies[$0]?.value }.max() ?? Standbys.latest
    }

    /// Hands over what a request has seen, apart for those that only read.
    ///
    /// Of a browser's requests many are under way at once, and an answer to one that only reads must not undo what a
    /// form's says. A browser that has heard nothing for longer than the cookie lives reads from the primary.
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

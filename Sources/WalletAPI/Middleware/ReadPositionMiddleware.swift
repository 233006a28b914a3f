import HTTPTypes
import Hummingbird
import Wallet

/// Lets the reads of clients that join in go to standbys, and tells each of them how far it has seen the books.
///
/// An app joins in by the header `Wallet-Position`; the operators' pages join in by cookies of the same meaning. It
/// stands outside ``ProblemMiddleware``: a refusal, too, shows the books.
struct ReadPositionMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    let standbys: Standbys

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        let isPage = request.uri.path.hasPrefix(Self.pages)
        guard let brought = isPage ? Self.seen(by: request) : request.headers[.walletPosition] else {
            return try await next(request, context)
        }
        let session = ReadSession(after: brought, isRead: [.get, .head].contains(request.method))
        do {
            var response = try await session.run { try await next(request, context) }
            let token = await self.standbys.token(after: session)
            if !isPage {
                response.headers[.walletPosition] = token
            } else if token != brought {
                response.setCookie(Self.cookie(token, session))
            }
            return response
        } catch var problem as Problem {
            let token = await self.standbys.token(after: session)
            if !isPage {
                problem.headers[.walletPosition] = token
            } else if token != brought {
                problem.headers[.setCookie] = Self.cookie(token, session).description
            }
            throw problem
        }
    }

    /// How far a browser has seen the books: what its cookies say that says most.
    private static func seen(by request: Request) -> String {
        [Self.read, Self.written].compactMap { request.cookies[$0]?.value }.max() ?? Standbys.latest
    }

    /// Hands over what a request has seen, apart for those that only read.
    ///
    /// Of a browser's requests many are under way at once, and an answer to one that only reads must not undo what a
    /// form's says. A browser that has heard nothing for longer than the cookie lives reads from the primary.
    private static func cookie(_ token: String, _ session: ReadSession) -> Cookie {
        Cookie(
            name: session.isRead ? Self.read : Self.written,
            value: token,
            maxAge: 600,
            path: Self.pages,
            httpOnly: true,
            sameSite: .lax
        )
    }

    private static let pages = "/console"
    private static let read = "wallet-position"
    private static let written = "wallet-position-written"
}

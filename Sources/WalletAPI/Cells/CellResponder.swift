import Foundation
import HTTPTypes
public import Hummingbird
import JOSE
import JSON
import Logging

/// Routes each request to a wallet: by the name in its path, otherwise by its token's issuer.
///
/// Both are unverified at this point. The wallet verifies the token with its own issuers only, so a request that
/// reaches the wrong wallet receives 401.
public struct CellResponder: HTTPResponder {
    private let cells: [String: Answerer]
    private let issuers: [ExactText: Answerer]
    private let front: WalletResponder
    private let frontRoutes: RouteTable

    private struct Answerer {
        let name: String
        let responder: WalletResponder
    }

    init(_ cells: [WalletCell], front: Router<AppRequestContext>, routes: RouteTable) {
        let answerers = cells.map { cell -> (WalletCell, Answerer) in
            let responder = WalletResponder(router: cell.server.buildRouter().buildResponder())
            return (cell, Answerer(name: cell.name, responder: responder))
        }
        self.cells = Dictionary(answerers.map { ($0.name, $1) }) { first, _ in first }
        let issuers = answerers.flatMap { cell, answerer in cell.issuers.map { (ExactText($0), answerer) } }
        self.issuers = Dictionary(issuers) { first, _ in first }
        self.front = WalletResponder(router: front.buildResponder())
        self.frontRoutes = routes
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The request's context.
    /// - Returns: The response.
    /// - Throws: An error that no route and no middleware turned into a response.
    public func respond(to request: Request, context: AppRequestContext) async throws -> Response {
        guard let (answerer, request) = self.destination(of: request) else {
            return try await self.front.respond(to: request, context: context)
        }
        var context = context
        context.logger[metadataKey: "wallet"] = .string(answerer.name)
        return try await answerer.responder.respond(to: request, context: context)
    }

    /// Returns the wallet for a request and the request with the wallet's path; nil if it belongs to no wallet.
    private func destination(of request: Request) -> (Answerer, Request)? {
        if let path = CellPath(request.head.path ?? "") {
            guard let answerer = self.cells[path.name], !path.rest.isEmpty else { return nil }
            var head = request.head
            head.path = path.rest
            return (answerer, Request(head: head, body: request.body))
        }
        guard self.frontRoutes.methods(of: request.uri.path).isEmpty, let issuer = UnprovenIssuer(of: request),
            let answerer = self.issuers[issuer.iss]
        else { return nil }
        return (answerer, request)
    }
}

/// A path with the name of its wallet: `/wallets/NAME/…`.
///
/// The name is compared as sent and never decoded, so a percent-encoded name matches no wallet.
private struct CellPath: Equatable {
    private static let prefix = "/wallets/"

    /// The wallet's name.
    let name: String
    /// The path within the wallet, with the query; empty if nothing follows the name.
    let rest: String

    /// Parses a path; returns nil for a path without a wallet's name.
    ///
    /// - Parameter path: The path and the query, as they were sent.
    init?(_ path: String) {
        guard path.utf8.starts(with: Self.prefix.utf8) else { return nil }
        let tail = path.utf8.dropFirst(Self.prefix.utf8.count)
        let end = tail.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? tail.endIndex
        self.name = String(decoding: tail[..<end], as: UTF8.self)
        self.rest = String(decoding: tail[end...], as: UTF8.self)
    }
}

/// The issuer in a request's token, not verified.
///
/// It selects the wallet, which then verifies the token.
private struct UnprovenIssuer: Decodable {
    let iss: ExactText

    /// Reads the issuer; returns nil if the request has no token or the token has no issuer.
    ///
    /// - Parameter request: The request.
    init?(of request: Request) {
        guard let token = try? BearerCredentials.token(in: request.headers),
            token.utf8.count <= CompactToken.maximumLength
        else { return nil }
        guard let claims = CompactJWS.payload(of: token),
            let issuer = try? JSONDecoder().decode(Self.self, external: claims)
        else { return nil }
        self = issuer
    }
}

/// Answers requests that belong to no wallet.
///
/// This middleware is added after all routes, so it runs only for requests that match no route.
struct CellMissingMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        guard CellPath(request.uri.path) == nil else {
            throw Problem.notFound("route-not-found", "No wallet has this name.")
        }
        // A client that sends a token receives 401 if no wallet accepts the token's issuer.
        if request.headers[.authorization] != nil, UnprovenIssuer(of: request) != nil {
            throw WalletAPIError.refused("The token's issuer is not accepted here.")
        }
        throw Problem.notFound(
            "route-not-found",
            "No route has this path unless a wallet is selected. Send a token of the wallet's users, or put "
                + "/wallets/NAME before the path."
        )
    }
}

import HTTPTypes
import Hummingbird
import Wallet

/// Requires a valid user token and stores the token's user in the request context.
struct BearerMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    let verifier: TokenVerifier

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.bearer = try await self.verifier.bearer(of: BearerCredentials.token(in: request.headers))
        return try await next(request, context)
    }
}

/// Admits a user only if the account that the token was issued for still exists.
///
/// Routes that check admission in the same database call as their own work do not use this middleware.
struct AdmissionMiddleware: RouterMiddleware {
    typealias Context = UserRequestContext

    let wallet: Wallet

    func handle(
        _ request: Request,
        context: UserRequestContext,
        next: (Request, UserRequestContext) async throws -> Response
    ) async throws -> Response {
        try await self.wallet.admit(context.caller)
        return try await next(request, context)
    }
}

/// Admits the user of an invalid request, so that a token whose account no longer exists is refused with 401 first.
///
/// The routes behind it admit the user in the same database call as their own work.
struct LateAdmissionMiddleware: RouterMiddleware {
    typealias Context = UserRequestContext

    let wallet: Wallet

    func handle(
        _ request: Request,
        context: UserRequestContext,
        next: (Request, UserRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let isInvalid = (error as? WalletError)?.status == 400 || (error as? Problem)?.status == .badRequest
            if isInvalid { try await self.wallet.admit(context.caller) }
            throw error
        }
    }
}

/// Requires a valid operator token with a right, and stores the actor in the request context.
struct OperatorMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    let verifier: TokenVerifier

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        let (id, right) = try await self.verifier.actor(of: BearerCredentials.token(in: request.headers))
        guard let right else { throw Problem.rightMissing }
        context.actor = OperatorIdentity(id: id, right: right)
        return try await next(request, context)
    }
}

/// Reads the token from an `Authorization` field.
enum BearerCredentials {
    /// Returns the one bearer token of a request.
    ///
    /// - Parameter headers: The request's header fields.
    /// - Returns: The token as the client sent it.
    /// - Throws: ``WalletAPIError/Code/unauthenticated`` if there is no token, more than one field, or another scheme.
    static func token(in headers: HTTPFields) throws(WalletAPIError) -> String {
        let values = headers[values: .authorization]
        guard let value = values.first else { throw .refused(Self.missing) }
        guard values.count == 1 else { throw .refused("The request has more than one Authorization field.") }
        let scheme = value.utf8.prefix { $0 != UInt8(ascii: " ") }
        guard scheme.count < value.utf8.count, String(scheme)?.lowercased() == "bearer" else {
            throw .refused("The Authorization field must have the form \"Bearer <token>\".")
        }
        var token = String(value[scheme.endIndex...].dropFirst())
        guard !token.isEmpty, token.withUTF8({ $0.allSatisfy(Self.isTokenByte) }) else {
            throw .refused("The bearer token contains invalid characters.")
        }
        return token
    }

    /// The reason returned when the request has no token; this is not an error of a token.
    static let missing = "A bearer token is required."

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}

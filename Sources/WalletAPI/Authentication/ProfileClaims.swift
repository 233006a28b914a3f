import Hummingbird
public import JSON
public import Wallet

/// The claims of users' tokens that contain the name and the email address, for operators to read.
public struct ProfileClaims: Sendable, Equatable {
    /// The name of the claim with the user's name; nil for none.
    ///
    /// Dots lead into objects, as in `user_metadata.full_name`.
    public var name: String?
    /// The name of the claim with the email address; nil for none.
    ///
    /// The address is ignored if `email_verified` in the same object is `false`.
    public var email: String?

    /// Creates a mapping.
    ///
    /// - Parameters:
    ///   - name: The name of the claim with the user's name; nil for none.
    ///   - email: The name of the claim with the email address; nil for none.
    public init(name: String? = nil, email: String? = nil) {
        self.name = name
        self.email = email
    }

    /// Returns the profile in a token.
    ///
    /// - Parameter claims: All claims of a verified token.
    /// - Returns: The profile; nil if the token has neither claim.
    public func profile(in claims: JSONValue) -> UserProfile? {
        let name = self.name.flatMap { Self.claim($0, in: claims)?.value }
        let email = self.email.flatMap { Self.claim($0, in: claims) }
        let address = email?.holder["email_verified"] == .bool(false) ? nil : email?.value
        return name == nil && address == nil ? nil : UserProfile(name: name, email: address)
    }

    /// Returns a claim's text and the object that holds the claim; nil for a claim that is absent or not a text.
    private static func claim(_ path: String, in claims: JSONValue) -> (value: String, holder: JSONValue)? {
        let names = path.split(separator: ".").map(String.init)
        let holder = names.dropLast().reduce(JSONValue?.some(claims)) { $0?[$1] }
        guard let holder, let value = names.last.flatMap({ holder[$0]?.text }) else { return nil }
        return (value, holder)
    }
}

/// Stores the name and the email address of a token after the first request with it.
///
/// The request has succeeded, so an error only delays the profile to the next request. Nothing of it is logged.
struct ProfileMiddleware: RouterMiddleware {
    typealias Context = UserRequestContext

    let wallet: Wallet

    func handle(
        _ request: Request,
        context: UserRequestContext,
        next: (Request, UserRequestContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        if let profile = context.bearer.profile { try? await self.wallet.note(profile, of: context.caller) }
        return response
    }
}

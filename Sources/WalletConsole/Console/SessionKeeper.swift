import Crypto
public import Foundation
import HTTPTypes
import Hummingbird
import JOSE
import JSON

/// Stores sessions in browser cookies and reads them.
///
/// A cookie is signed, and scripts cannot read it. A session ends after a period without requests, and at the latest
/// some hours after the sign-in.
struct SessionKeeper: Sendable {
    private static let cookie = "wallet-console"

    let configuration: ConsoleConfiguration
    let ended: EndedSessions

    private var cookies: Seal { self.configuration.seal(for: "console session") }
    private var forms: Seal { self.configuration.seal(for: "console form") }

    /// Returns the session of a request.
    ///
    /// - Parameter request: The request.
    /// - Returns: The session; nil if there is none or it has ended.
    /// - Throws: An error of the storage of ended sessions.
    func session(of request: Request) async throws -> ConsoleSession? {
        guard let session = self.held(by: request) else { return nil }
        return try await self.ended.isEnded(session.digest) ? nil : session
    }

    /// Returns the session in a request's cookie; nil if it has expired.
    ///
    /// The session may have been signed out.
    func held(by request: Request) -> ConsoleSession? {
        guard
            let cookie = request.cookies[self.configuration.cookieName(Self.cookie)]?.value,
            let session = self.cookies.open(cookie, as: ConsoleSession.self)
        else { return nil }
        let now = self.configuration.now()
        guard
            now < session.seenAt.addingTimeInterval(self.configuration.idleLifetime),
            now < self.end(of: session),
            session.seenAt <= now.addingTimeInterval(60)
        else { return nil }
        return session
    }

    /// Begins a session in a browser, and ends the session that it replaces, on every instance.
    ///
    /// - Parameters:
    ///   - session: The new session.
    ///   - request: The request that signs in, with the cookie of the earlier session.
    ///   - response: The response to the browser.
    /// - Throws: An error of the storage of ended sessions; a browser never has two valid sessions.
    func begin(_ session: ConsoleSession, replacing request: Request, in response: inout Response) async throws {
        if let earlier = self.held(by: request) {
            try await self.ended.end(earlier.digest, self.end(of: earlier))
        }
        try self.keep(session, in: &response, isNew: true)
    }

    /// Sets the session's cookie if the session is new or its last request is more than a minute old.
    func keep(_ session: ConsoleSession, in response: inout Response, isNew: Bool = false) throws {
        let now = self.configuration.now()
        guard isNew || now.timeIntervalSince(session.seenAt) > 60 else { return }
        let sealed = try self.cookies.seal(session.seen(at: now))
        response.setCookie(self.configuration.cookie(Self.cookie, sealed, for: self.configuration.idleLifetime))
    }

    /// Removes the session's cookie from the browser.
    func remove(from response: inout Response) {
        response.setCookie(self.configuration.cookie(Self.cookie, "", for: 0))
    }

    /// Returns whether the operator must authenticate again before changing money.
    ///
    /// If the issuer did not report the time of the authentication, the session is always stale.
    func isStale(_ session: ConsoleSession) -> Bool {
        guard let signedInAt = session.signedInAt else { return true }
        return self.configuration.now() > signedInAt.addingTimeInterval(self.configuration.moneyLifetime)
    }

    /// Returns the token for the forms of a session, which other sites cannot know.
    func formToken(of session: ConsoleSession) -> String {
        self.forms.signature(of: session.id)
    }

    /// Returns whether a page of this session sent the form.
    func isFormToken(_ token: String, of session: ConsoleSession) -> Bool {
        self.forms.isSignature(token, of: session.id)
    }

    /// Ends a session on every instance.
    func end(_ session: ConsoleSession) async throws {
        try await self.ended.end(session.digest, self.end(of: session))
    }

    /// Returns the time at which a session ends regardless of its activity.
    func end(of session: ConsoleSession) -> Date {
        session.beganAt.addingTimeInterval(self.configuration.lifetime)
    }
}

/// A session of a signed-in operator, stored in a signed cookie.
struct ConsoleSession: Sendable, Codable, Equatable {
    /// A random text that is unique to the session.
    let id: String
    let owner: ConsoleOperator
    /// The time at which the session began; the session ends some hours later.
    let beganAt: Date
    /// The time of the operator's authentication.
    ///
    /// It is earlier than the session if the issuer still had a session, and nil if the issuer does not report it.
    let signedInAt: Date?
    /// The time of the browser's last request, accurate to a minute.
    let seenAt: Date

    /// Creates a session with an unpredictable id, so that a planted cookie cannot contain it.
    init(of owner: ConsoleOperator, signedInAt: Date?, at now: Date) {
        self.id = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0).base64EncodedString() }
        self.owner = owner
        self.beganAt = now
        self.signedInAt = signedInAt
        self.seenAt = now
    }

    private init(_ session: ConsoleSession, seenAt: Date) {
        self.id = session.id
        self.owner = session.owner
        self.beganAt = session.beganAt
        self.signedInAt = session.signedInAt
        self.seenAt = seenAt
    }

    /// Returns the same session with a new time of the last request.
    func seen(at now: Date) -> ConsoleSession {
        ConsoleSession(self, seenAt: now)
    }

    /// A digest that identifies the session in the database; the id cannot be derived from it.
    var digest: Data { Data(SHA256.hash(data: Data(self.id.utf8))) }
}

/// Stores the sessions that were signed out before their expiry, for all instances of the service.
public struct EndedSessions: Sendable {
    let end: @Sendable (_ digest: Data, _ until: Date) async throws -> Void
    let isEnded: @Sendable (_ digest: Data) async throws -> Bool

    /// Creates the storage from two functions.
    ///
    /// - Parameters:
    ///   - end: A function that stores an ended session until its regular expiry.
    ///   - isEnded: A function that returns whether a session is stored as ended.
    public init(
        end: @escaping @Sendable (_ digest: Data, _ until: Date) async throws -> Void,
        isEnded: @escaping @Sendable (_ digest: Data) async throws -> Bool
    ) {
        self.end = end
        self.isEnded = isEnded
    }
}

/// Signs values that a browser stores.
///
/// The browser can read a value but not change it.
struct Seal: Sendable {
    private let key: SymmetricKey

    /// Derives a key for one purpose.
    ///
    /// - Parameters:
    ///   - secret: The console's secret, at least 32 bytes.
    ///   - purpose: The kind of value; a value sealed for another purpose fails the verification.
    init(secret: [UInt8], purpose: String) {
        self.key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret),
            info: Data(purpose.utf8),
            outputByteCount: 32
        )
    }

    /// Encodes a value with its signature.
    func seal(_ value: some Encodable) throws -> String {
        let data = try JSONEncoder().encode(value)
        return "\(data.base64URL).\(Data(self.code(of: data)).base64URL)"
    }

    /// Verifies and decodes a value; returns nil if this seal did not sign it.
    func open<Value: Decodable>(_ text: String, as type: Value.Type = Value.self) -> Value? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard
            parts.count == 2, let data = Data(base64URL: parts[0].utf8),
            let code = Data(base64URL: parts[1].utf8),
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: data, using: self.key)
        else { return nil }
        return try? JSONDecoder().decode(type, external: data)
    }

    /// Returns the signature of a text, for example for a form's token.
    func signature(of text: String) -> String {
        Data(self.code(of: Data(text.utf8))).base64URL
    }

    /// Returns whether a signature belongs to a text; the comparison takes constant time.
    func isSignature(_ signature: String, of text: String) -> Bool {
        guard let code = Data(base64URL: signature.utf8) else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: Data(text.utf8), using: self.key)
    }

    private func code(of data: Data) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: data, using: self.key)
    }
}

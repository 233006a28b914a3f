import Crypto
import Foundation

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

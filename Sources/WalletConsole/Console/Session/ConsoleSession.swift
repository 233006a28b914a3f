import Crypto
import Foundation

/// One signed-in session of the console, as the browser keeps it under a seal.
struct ConsoleSession: Sendable, Codable, Equatable {
    /// A random text that no other session has.
    let id: String
    let owner: ConsoleOperator
    /// When it began; some hours later it ends.
    let beganAt: Date
    /// When the operator proved who they are; earlier than the session if the issuer remembered them, nil if the issuer does
    /// not say.
    let signedInAt: Date?
    /// When the browser was last heard of, to a minute.
    let seenAt: Date

    /// Begins a session under an id that nobody can know before: a cookie that somebody planted does not have it.
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

    /// The same session, heard of now.
    func seen(at now: Date) -> ConsoleSession {
        ConsoleSession(self, seenAt: now)
    }

    /// What names the session where others may look: nobody finds the id from it.
    var digest: Data { Data(SHA256.hash(data: Data(self.id.utf8))) }
}

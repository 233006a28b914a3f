import Crypto
import Foundation
import Stores
import Wallet

extension Inbox {
    /// Keeps a message that proved its sender but says something that this release cannot read.
    ///
    /// It is known by a digest, since its own id may be what cannot be read.
    ///
    /// - Parameters:
    ///   - body: The message as it came.
    ///   - source: Who sent it.
    /// - Throws: ``Problem`` 400 for what is no JSON object, or holds what PostgreSQL cannot store; ``WalletError`` 503
    ///   when it could not be kept.
    func park(_ body: Data, from source: StoreEvent.Source) async throws {
        guard !JSONText.holdsNUL(body), case .object? = try? JSONDecoder().decode(JSONValue.self, from: body) else {
            throw Problem.malformed("The body must be a JSON object.")
        }
        let digest = SHA256.hash(data: body).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let text = String(decoding: body, as: UTF8.self)
        try await self.wallet.park(text, from: source, id: "sha256:\(digest)", reason: "unreadable")
    }
}

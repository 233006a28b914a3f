import Foundation
import Postgres
import WalletClient

extension LiveWallet {
    /// A secret of the instance, by the name of its file.
    func secret(_ name: String) throws -> String {
        try String(contentsOfFile: "\(self.directory)/secrets/\(name)", encoding: .utf8)
    }

    /// What the stores themselves keep of a transaction: whether it was acknowledged, for one.
    func storesRecord(of sale: SandboxStore.Sale) throws -> JSONValue? {
        let file = URL(filePath: "\(self.directory)/stores/sandbox-stores.json")
        let state = try JSONDecoder().decode([String: JSONValue].self, from: Data(contentsOf: file))
        return state["transactions"]?[sale.transactionID]
    }

    /// How a store's message fared, by the id that it has for the store; nil where it was not kept.
    func fate(of message: String) async throws -> String? {
        let rows = try await self.query(
            "SELECT status FROM admin.webhook_inbox WHERE strpos(source_event_id, \(message)) > 0"
        )
        return try rows.first?.decode("status")
    }

    /// Every message that was kept, with what became of it.
    func inbox() async throws -> [String] {
        let rows = try await self.query(
            "SELECT concat_ws(' ', source, source_event_id, status) AS line FROM admin.webhook_inbox ORDER BY inbox_id"
        )
        return try rows.map { try $0.decode("line") }
    }

    /// A user whose issuer calls them anonymous.
    func anonymous(_ name: String = "anonymous") throws -> LiveUser {
        let id = "\(name)-\(UUID().uuidString.lowercased())"
        var claims = self.users.claims(of: id)
        claims["is_anonymous"] = true
        return try LiveUser(id, token: self.users.sign(claims), at: self.description.httpURL)
    }

    /// A user with a token that is issued after all that has happened to them so far.
    func returning(_ user: LiveUser) throws -> LiveUser {
        var claims = self.users.claims(of: user.id)
        claims["iat"] = .integer(Int64(Date().timeIntervalSince1970) + 2)
        return try LiveUser(user.id, token: self.users.sign(claims), at: self.description.httpURL)
    }
}

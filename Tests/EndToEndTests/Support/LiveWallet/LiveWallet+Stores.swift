import Foundation
import Postgres
import WalletClient

extension LiveWallet {
    /// Returns a secret of the instance by its file name.
    func secret(_ name: String) throws -> String {
        try String(contentsOfFile: "\(self.directory)/secrets/\(name)", encoding: .utf8)
    }

    /// Returns the store's own record of a transaction, for example whether it was acknowledged.
    func storesRecord(of sale: SandboxStore.Sale) throws -> JSONValue? {
        let file = URL(filePath: "\(self.directory)/stores/sandbox-stores.json")
        let state = try JSONDecoder().decode([String: JSONValue].self, from: Data(contentsOf: file))
        return state["transactions"]?[sale.transactionID]
    }

    /// Returns the status of a store's message by the store's id, or nil if it was not stored.
    func fate(of message: String) async throws -> String? {
        let rows = try await self.query(
            "SELECT status FROM admin.webhook_inbox WHERE strpos(source_event_id, \(message)) > 0"
        )
        return try rows.first?.decode("status")
    }

    /// Returns every stored message with its status.
    func inbox() async throws -> [String] {
        let rows = try await self.query(
            "SELECT concat_ws(' ', source, source_event_id, status) AS line FROM admin.webhook_inbox ORDER BY inbox_id"
        )
        return try rows.map { try $0.decode("line") }
    }

    /// Creates a user whose token marks them as anonymous.
    func anonymous(_ name: String = "anonymous") throws -> LiveUser {
        let id = "\(name)-\(UUID().uuidString.lowercased())"
        var claims = self.users.claims(of: id)
        claims["is_anonymous"] = true
        return try LiveUser(id, token: self.users.sign(claims), at: self.description.httpURL)
    }

    /// Returns the user with a token that is issued after everything that has happened so far.
    func returning(_ user: LiveUser) throws -> LiveUser {
        var claims = self.users.claims(of: user.id)
        claims["iat"] = .integer(Int64(Date().timeIntervalSince1970) + 2)
        return try LiveUser(user.id, token: self.users.sign(claims), at: self.description.httpURL)
    }
}

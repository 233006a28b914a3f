public import Foundation
import Postgres

extension Wallet {
    /// Ends a session of the operators' console on every instance of the service.
    ///
    /// SQL: `functions/instance/sessions.sql`.
    ///
    /// - Parameters:
    ///   - digest: The SHA-256 of the session's id.
    ///   - end: The time at which the session would expire.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func endSession(_ digest: Data, until end: Date) async throws {
        _ = try await self.query("SELECT wallet.end_session(\(digest), \(end))::text AS done") { _ in }
    }

    /// Returns whether a session of the operators' console was signed out.
    ///
    /// SQL: `functions/instance/sessions.sql`.
    ///
    /// - Parameter digest: The SHA-256 of the session's id.
    /// - Returns: A Boolean value that indicates whether the session was signed out.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func isSessionEnded(_ digest: Data) async throws -> Bool {
        try await self.ask("SELECT wallet.is_session_ended(\(digest)) AS ended") { row in
            try row.decode("ended", as: Bool.self)
        }.contains(true)
    }
}

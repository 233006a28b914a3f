import CLibpq

/// Receives two kinds of notices: the server ends the session (sent before the socket is closed), or no standby has
/// confirmed a commit.
///
/// The receiver drops all other notices; without it, libpq would print them to standard error.
final class NoticeReceiver {
    /// The reason why the server ends the session.
    private(set) var error: PostgresError?
    /// A Boolean value that indicates whether a commit may exist on this server alone.
    private var isUnconfirmed = false

    /// Receives the notices of a connection; the receiver must live as long as the connection.
    func listen(on connection: OpaquePointer) {
        PQsetNoticeReceiver(
            connection,
            { context, result in
                guard let context, let result else { return }
                Unmanaged<NoticeReceiver>.fromOpaque(context).takeUnretainedValue().take(result)
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Returns an error, once, if the statement that has just succeeded is committed on this server alone.
    ///
    /// If commits wait for a synchronous standby, a cancel or a timeout ends the wait but not the transaction. The
    /// server then warns and reports success, but a standby that takes over may lack the commit.
    func takeUnconfirmed() -> PostgresError? {
        defer { self.isUnconfirmed = false }
        return self.isUnconfirmed ? PostgresError(.unavailable, "no standby confirmed the commit in time") : nil
    }

    private func take(_ result: OpaquePointer) {
        let severity = String(libpq: PQresultErrorField(result, Diagnostic.severity))
        // The message is translated, so this checks the name of the C function that waits for a standby.
        let origin = String(libpq: PQresultErrorField(result, Diagnostic.function))
        if origin == "SyncRepWaitForLSN" { self.isUnconfirmed = true }
        guard severity == "FATAL" || severity == "PANIC" else { return }
        self.error = PostgresError(result, completed: 0)
    }
}

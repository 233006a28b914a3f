import CLibpq

/// Learns what a server says unasked: that it ends the session, before the socket is closed, and that no standby has
/// confirmed a commit.
///
/// Other notices are dropped; libpq would print them to standard error.
final class NoticeReceiver {
    /// Why the server ends the session.
    private(set) var error: PostgresError?
    /// Whether a commit stands here but perhaps nowhere else.
    private var isUnconfirmed = false

    /// Listens for as long as both live.
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

    /// Reports once that the statement which has just succeeded is committed on this server alone.
    ///
    /// Where commits wait for a synchronous standby, a cancel or a timeout ends the wait and not the transaction: the
    /// server then warns and reports success, but a standby that takes over may know nothing of it.
    func takeUnconfirmed() -> PostgresError? {
        defer { self.isUnconfirmed = false }
        return self.isUnconfirmed ? PostgresError(.unavailable, "no standby confirmed the commit in time") : nil
    }

    private func take(_ result: OpaquePointer) {
        let severity = LibpqConnection.text(PQresultErrorField(result, Diagnostic.severity))
        // The text is translated; the C function that waits for a standby is not.
        let origin = LibpqConnection.text(PQresultErrorField(result, Diagnostic.function))
        if origin == "SyncRepWaitForLSN" { self.isUnconfirmed = true }
        guard severity == "FATAL" || severity == "PANIC" else { return }
        self.error = PostgresError(result, completed: 0)
    }
}

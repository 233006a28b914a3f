import CLibpq

/// Hears what a server says unasked, to know that it ends the session before the socket is closed.
///
/// Other notices are dropped; libpq would print them to standard error.
final class Farewell {
    /// Why the server ends the session.
    private(set) var error: PostgresError?

    /// Listens for as long as both live.
    func listen(on connection: OpaquePointer) {
        PQsetNoticeReceiver(
            connection,
            { context, result in
                guard let context, let result else { return }
                Unmanaged<Farewell>.fromOpaque(context).takeUnretainedValue().take(result)
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    private func take(_ result: OpaquePointer) {
        let severity = Link.text(PQresultErrorField(result, Diagnostic.severity))
        guard severity == "FATAL" || severity == "PANIC" else { return }
        self.error = PostgresError(result, completed: 0)
    }
}

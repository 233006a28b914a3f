import Synchronization

/// The connection that a task stays on.
struct PinnedConnection: Sendable {
    @TaskLocal static var current: PinnedConnection?

    let pool: Pool
    let connection: Connection
}

extension Pool {
    /// Runs a body on the thread of one connection, and the body's queries over that connection.
    ///
    /// Between one query and the next nothing then changes threads, which on a busy machine takes longer than the rest.
    /// The connection is out of the pool until the body ends. Where none is idle, or it is lost, the body runs all the
    /// same, and its queries take their turns with all others.
    ///
    /// - Parameter body: What to run; it must neither block its thread nor take long beside its queries.
    /// - Returns: What the body returns.
    public func withPinnedConnection<T: Sendable>(_ body: @Sendable () async -> T) async -> T {
        guard let connection = self.state.withLock({ $0.takeIdle() }) else { return await body() }
        let value = await withTaskExecutorPreference(connection.executor) {
            await PinnedConnection.$current.withValue(PinnedConnection(pool: self, connection: connection)) {
                await body()
            }
        }
        await self.release(connection)
        return value
    }

    /// The connection that the task stays on, if it is one of this pool's and still there.
    var stayedOn: Connection? {
        guard let stay = PinnedConnection.current, stay.pool === self, stay.connection.isUsable else { return nil }
        return stay.connection
    }
}

import Synchronization

/// The connection that a task is pinned to.
struct PinnedConnection: Sendable {
    @TaskLocal static var current: PinnedConnection?

    let pool: Pool
    let connection: Connection
}

extension Pool {
    /// Runs a body on the thread of one connection, and the body's queries on that connection.
    ///
    /// This avoids thread switches between queries; on a busy machine these take longer than everything else. The
    /// connection stays out of the pool until the body ends. If no connection is idle, or if the connection is lost,
    /// the body still runs, and its queries lease connections like all others.
    ///
    /// - Parameter body: The work to run; it must not block its thread, and must take little time apart from its
    ///   queries.
    /// - Returns: The body's result.
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

    /// The connection that the task is pinned to, if it belongs to this pool and is still usable.
    var stayedOn: Connection? {
        guard let stay = PinnedConnection.current, stay.pool === self, stay.connection.isUsable else { return nil }
        return stay.connection
    }
}

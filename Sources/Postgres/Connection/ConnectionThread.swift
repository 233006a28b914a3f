import Foundation
import Logging

/// The work of a connection's thread: opens the connection, then runs jobs and reads from the server until the
/// connection is closed or lost.
struct ConnectionThread: Sendable {
    let mailbox: JobQueue
    let events: Connection.Events
    let logger: Logger

    func run(_ configuration: ConnectionConfiguration, onOpen: CheckedContinuation<PostgresError?, Never>) {
        let link: LibpqConnection
        do throws(PostgresError) {
            link = try LibpqConnection(configuration)
        } catch {
            self.mailbox.close(error)
            onOpen.resume(returning: error)
            return
        }
        onOpen.resume(returning: nil)
        self.serve(link)
        let reason = link.failure ?? PostgresError(.closed, "the connection was closed")
        self.mailbox.close(reason)
        self.logger.debug("database connection ended", metadata: ["reason": "\(reason)"])
        if link.isGivenUp { link.awaitEnd() }
        self.events.onClose(link.isGivenUp)
    }

    private func serve(_ link: LibpqConnection) {
        while link.failure == nil {
            for job in self.mailbox.take() { job.run(link) }
            guard link.failure == nil, self.mailbox.closedError == nil else { return }
            if self.sleep(beside: link) { link.readIdle() }
        }
    }

    /// Sleeps until a job arrives or the server sends data.
    ///
    /// - Returns: A Boolean value that indicates whether the server's socket can be read.
    private func sleep(beside link: LibpqConnection) -> Bool {
        var watched = [
            pollfd(fd: self.mailbox.wakeDescriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: link.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&watched, 2, -1)
        return watched[1].revents != 0
    }
}

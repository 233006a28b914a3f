import CommandOutput
import Foundation
import Logging
import Postgres
import WalletAPI

/// The limit on open files of this process, and the number of connections that it allows.
enum OpenFiles {
    /// The number of files for other purposes than clients and databases: logs, calls to stores and listeners.
    private static let own = 128

    /// Raises the limit on open files if necessary and allowed, and reduces the maximum number of connections to fit
    /// it.
    ///
    /// Beyond the limit, the process can neither accept nor refuse a connection.
    ///
    /// - Parameters:
    ///   - http: The server's configuration; its maximum number of connections may be reduced.
    ///   - databases: The maximum number of connections to databases.
    ///   - logger: The logger for a reduced maximum.
    /// - Throws: ``CommandError`` if there is no room for client connections.
    static func fit(
        _ http: inout WalletServerConfiguration,
        beside databases: Int,
        logger: Logger
    ) throws(CommandError) {
        let reserved = Self.own + databases
        let wanted = http.limits.connections
        let files = Self.raise(to: wanted == 0 ? .max : wanted + reserved)
        guard let room = try Self.room(in: files, beside: reserved, wanted: wanted) else { return }
        http.limits.connections = room
        logger.warning(
            "the limit on open files allows fewer connections than configured",
            metadata: ["connections": "\(room)", "configured": "\(wanted)", "open_files": "\(files)"]
        )
    }

    /// Returns the maximum number of connections; nil if the wanted number fits.
    ///
    /// A wanted number of 0 means no limit.
    static func room(in files: Int, beside reserved: Int, wanted: Int) throws(CommandError) -> Int? {
        guard files - reserved > 0 else {
            throw CommandError(
                .system,
                "The limit of \(files) open files (ulimit -n) is too low: the process needs more than \(reserved)."
            )
        }
        let room = files - reserved
        // Without a limit on open files, an unlimited number of connections stays unlimited.
        if wanted == 0 { return files >= 1 << 30 ? nil : room }
        return wanted > room ? room : nil
    }

    /// Raises the soft limit up to the hard limit, and never lowers it.
    ///
    /// - Parameter wanted: The number of files; `Int.max` for as many as possible.
    /// - Returns: The number of files that may be open now.
    private static func raise(to wanted: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(Self.resource, &limit) == 0 else { return .max }
        let target = min(rlim_t(wanted), limit.rlim_max)
        if limit.rlim_cur < target {
            var raised = limit
            raised.rlim_cur = target
            if setrlimit(Self.resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}

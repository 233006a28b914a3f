import Foundation
import Logging
import Postgres
import WalletAPI

/// How many files and sockets this process may have open, and how many connections that leaves room for.
enum OpenFiles {
    /// What the process needs beside connections to clients and to the database: logs, calls to stores, listeners.
    private static let own = 128

    /// Takes no more connections than there may be files, having raised the limit as far as is needed and allowed.
    ///
    /// Beyond the limit a connection can be neither taken nor refused.
    ///
    /// - Parameters:
    ///   - http: What is served; its limit of connections becomes one that can be kept.
    ///   - databases: How many connections to databases there may be.
    ///   - logger: Learns of a limit that is lower than what is configured.
    /// - Throws: ``CommandError`` where there is no room for connections at all.
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
            "fewer connections are taken than configured: the process may not open more files",
            metadata: ["connections": "\(room)", "configured": "\(wanted)", "open_files": "\(files)"]
        )
    }

    /// Says how many connections there is room for; nil for as many as are wanted (0 for any number).
    static func room(in files: Int, beside reserved: Int, wanted: Int) throws(CommandError) -> Int? {
        guard files - reserved > 0 else {
            throw CommandError(
                .system,
                "The process may open \(files) files (ulimit -n), and needs \(reserved) beside its connections to clients."
            )
        }
        let room = files - reserved
        // Any number, of a limit without end, stays any number.
        if wanted == 0 { return files >= 1 << 30 ? nil : room }
        return wanted > room ? room : nil
    }

    /// Raises the soft limit towards the hard one, never lowers it.
    ///
    /// - Parameter wanted: How many files are needed; as many as may be for `Int.max`.
    /// - Returns: How many may be open now.
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

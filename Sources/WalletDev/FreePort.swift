package import CommandOutput
import Foundation

/// Finds free TCP ports on the loopback address.
package enum FreePort {
    /// The range lies below the ephemeral ports, because an outgoing connection could take such a port before the
    /// server binds it.
    private static let range = 20_000..<32_000

    /// Returns a random free port; another process could still bind it before the caller does.
    static func find() throws(CommandError) -> Int {
        for _ in 0..<100 {
            let port = Int.random(in: Self.range)
            if try !self.isTaken(port, sharing: false) { return port }
        }
        throw Self.failure
    }

    /// Returns the requested port, or a free port for 0.
    ///
    /// - Parameters:
    ///   - wanted: The port, or 0.
    ///   - option: The command-line option of the port, for the error message.
    /// - Returns: The port.
    /// - Throws: ``CommandError`` if the port is in use.
    package static func resolve(_ wanted: Int, option: String) throws(CommandError) -> Int {
        guard wanted != 0 else { return try self.find() }
        if try self.isTaken(wanted) {
            throw CommandError(.unavailable, "Port \(wanted) is in use; try \(option) 0.")
        }
        return wanted
    }

    /// Returns whether a process listens on a port.
    ///
    /// Without sharing, a port that is only bound also counts as taken.
    static func isTaken(_ port: Int, sharing: Bool = true) throws(CommandError) -> Bool {
        let descriptor = try self.open()
        defer { close(descriptor) }
        // The servers also set SO_REUSEADDR, so closing connections of an earlier run do not block the port.
        var yes: CInt = sharing ? 1 : 0
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        var address = Self.loopback(port: port)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                    && listen(descriptor, 1) == 0
            }
        }
        return !bound && errno == EADDRINUSE
    }

    private static func open() throws(CommandError) -> CInt {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw Self.failure }
        return descriptor
    }

    private static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        return address
    }

    private static var failure: CommandError { CommandError(.system, "No free TCP port was found on 127.0.0.1.") }
}

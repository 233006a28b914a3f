package import CommandOutput
import Foundation

/// Finds free TCP ports on the loopback address.
package enum FreePort {
    /// The range lies below the ephemeral ports, because an outgoing connection could take such a port before the
    /// server binds it.
    private static let range = 20_000..<32_000

    /// Returns a random free port and reserves it for this process and its children.
    ///
    /// A socket stays bound to the port until the process ends, without listening. A server that shares its address can
    /// bind the port too, as all servers here do, but no other process finds it free.
    static func find() throws(CommandError) -> Int {
        for _ in 0..<100 {
            let port = Int.random(in: Self.range)
            if try self.reserve(port) { return port }
        }
        throw Self.failure
    }

    private static func reserve(_ port: Int) throws(CommandError) -> Bool {
        let holder = try self.open()
        guard self.bind(holder, to: port) else {
            close(holder)
            return false
        }
        _ = fcntl(holder, F_SETFD, FD_CLOEXEC)
        self.share(holder)
        return true
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
    static func isTaken(_ port: Int) throws(CommandError) -> Bool {
        let descriptor = try self.open()
        defer { close(descriptor) }
        // The servers also share their addresses, so closing connections of an earlier run do not block the port.
        self.share(descriptor)
        return !(self.bind(descriptor, to: port) && listen(descriptor, 1) == 0) && errno == EADDRINUSE
    }

    private static func share(_ descriptor: CInt) {
        var yes: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
    }

    private static func bind(_ descriptor: CInt, to port: Int) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
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

    private static var failure: CommandError { CommandError(.system, "No free TCP port was found on 127.0.0.1.") }
}

import Foundation

/// Finds TCP ports on loopback that nobody listens on.
enum FreePort {
    /// Asks the system for one; it is free when this returns, and taken by anyone who binds it first.
    static func find() throws(CommandError) -> Int {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw Self.failure }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, length) == 0 && getsockname(descriptor, generic, &length) == 0
            }
        }
        guard bound else { throw Self.failure }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Gives the wanted port, or a free one for 0.
    static func resolve(_ wanted: Int) throws(CommandError) -> Int {
        wanted == 0 ? try self.find() : wanted
    }

    private static var failure: CommandError { CommandError(.system, "No free TCP port was found on 127.0.0.1.") }
}

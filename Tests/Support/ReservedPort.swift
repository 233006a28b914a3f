import Foundation

/// A port on 127.0.0.1 that a test keeps even while the server that uses it is stopped.
///
/// A socket stays bound to the port without listening. A program that looks for a free port cannot take it, but a
/// server that shares the address can. The port is below the range of outgoing connections. An outgoing connection
/// could otherwise take the port, or even connect to itself when a test calls a server that does not listen yet.
public final class ReservedPort: Sendable {
    /// The port's number.
    public let number: Int
    private let holder: CInt

    /// Reserves a port until the last reference is released.
    ///
    /// - Throws: ``TestSupportError`` if no free port is found.
    public init() throws {
        for _ in 0..<100 {
            let number = Int.random(in: 20_000..<32_000)
            if let holder = Self.bind(number) {
                self.number = number
                self.holder = holder
                return
            }
        }
        throw TestSupportError("no free port was found")
    }

    deinit { close(self.holder) }

    private static func bind(_ number: Int) -> CInt? {
        #if canImport(Glibc)
            let holder = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
            let holder = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard holder >= 0 else { return nil }
        // A program that the test starts must not inherit the socket.
        _ = fcntl(holder, F_SETFD, FD_CLOEXEC)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(number).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Foundation.bind(holder, $0, size) }
        }
        var yes: CInt = 1
        guard bound == 0,
            setsockopt(holder, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size)) == 0
        else {
            close(holder)
            return nil
        }
        return holder
    }
}

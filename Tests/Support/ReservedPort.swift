import Foundation

/// A port on 127.0.0.1 that stays a test's own, also while the server that uses it is stopped.
///
/// A socket stays bound to it without listening: what looks for a free port is refused, and a server, which asks to share
/// the address, gets it. The port is below those of outgoing connections, one of which could take it, or even connect to
/// itself where a test asks a server that does not listen yet.
public final class ReservedPort: Sendable {
    /// The port's number.
    public let number: Int
    private let holder: CInt

    /// Reserves one until the last reference goes.
    ///
    /// - Throws: ``TestSupportError`` when none is found.
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
        // A program that the test starts must not hold it, too.
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

import Foundation
import Synchronization

/// A file descriptor for log lines; concurrent writers never mix their lines.
///
/// A line that cannot be written (a closed pipe, a full disk) is lost: logging must not stop the service.
public final class LogOutput: Sendable {
    /// The process's standard output, shared by all loggers.
    public static let standardOutput = LogOutput(descriptor: STDOUT_FILENO)

    private let descriptor: Mutex<CInt>

    /// Creates an output to an open file descriptor, which it does not close.
    ///
    /// - Parameter descriptor: The file descriptor.
    public init(descriptor: CInt) {
        self.descriptor = Mutex(descriptor)
    }

    /// Writes one line under a lock; continues after partial writes.
    ///
    /// - Parameter line: The line with its line break, in UTF-8.
    public func write(_ line: [UInt8]) {
        self.descriptor.withLock { descriptor in
            var rest = line[...]
            while !rest.isEmpty {
                let written = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
                if written > 0 {
                    rest = rest.dropFirst(written)
                } else if errno != EINTR {
                    return
                }
            }
        }
    }
}

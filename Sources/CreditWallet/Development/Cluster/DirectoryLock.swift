import Foundation

/// Prevents a second `dev` from using the same directory; the system releases the lock when the process ends.
struct DirectoryLock: ~Copyable {
    private let descriptor: CInt

    /// Acquires the lock; throws if another process holds it.
    init(_ directory: DataDirectory) throws(CommandError) {
        let descriptor = open(directory.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CommandError(.system, "Cannot open \(directory.lock).") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw CommandError(.unavailable, "\(directory.path) is in use by another credit-wallet dev.")
        }
        self.descriptor = descriptor
    }

    /// Releases the lock.
    consuming func release() {}

    deinit {
        close(self.descriptor)
    }
}

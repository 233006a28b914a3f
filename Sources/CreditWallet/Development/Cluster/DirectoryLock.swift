import Foundation

/// Keeps a second `dev` away from a directory that one is using; the system lets go of it when the process ends.
struct DirectoryLock: ~Copyable {
    private let descriptor: CInt

    /// Takes the lock or names the process that has it.
    init(_ directory: DataDirectory) throws(CommandError) {
        let descriptor = open(directory.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CommandError(.system, "\(directory.lock) cannot be opened.") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw CommandError(.unavailable, "\(directory.path) is in use by another credit-wallet dev.")
        }
        self.descriptor = descriptor
    }

    /// Lets the next one in.
    consuming func release() {}

    deinit {
        close(self.descriptor)
    }
}

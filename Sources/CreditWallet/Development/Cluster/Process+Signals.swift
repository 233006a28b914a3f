import Foundation

extension Process {
    /// Starts the process with no signal blocked.
    ///
    /// A process inherits the signal mask of the thread that starts it, and the runtime's threads block most signals:
    /// a shell would then never hear that its child has ended.
    func runWithOpenSignals() throws {
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try self.run()
    }
}

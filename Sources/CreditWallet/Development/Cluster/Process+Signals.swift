import Foundation

extension Process {
    /// Starts the process without blocked signals.
    ///
    /// A process inherits the signal mask of the thread that starts it, and the threads of the Swift runtime block most
    /// signals. A shell would then not receive the signal that its child has ended.
    func runWithOpenSignals() throws {
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try self.run()
    }
}

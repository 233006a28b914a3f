import Hummingbird
import Synchronization

/// Counts the calls of the verification endpoint since the start of the stores.
final class CallCounter: Sendable {
    /// The number of calls per store environment.
    struct Counts: ResponseEncodable, Sendable {
        var production = 0
        var sandbox = 0
    }

    private let state = Mutex(Counts())

    var counts: Counts { self.state.withLock { $0 } }

    func count(_ side: SandboxTransaction.Environment) {
        self.state.withLock { counts in
            switch side {
            case .production: counts.production += 1
            case .sandbox: counts.sandbox += 1
            }
        }
    }
}

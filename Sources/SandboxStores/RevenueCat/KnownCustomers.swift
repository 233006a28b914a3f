import Synchronization

/// Who was asked for without having bought anything: the API makes a customer of everyone it is asked for.
final class KnownCustomers: Sendable {
    private let userIDs = Mutex<Set<String>>([])

    /// Whether a customer was asked for before; from now on it was.
    func knows(_ userID: String) -> Bool {
        self.userIDs.withLock { !$0.insert(userID).inserted }
    }
}

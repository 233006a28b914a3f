import Synchronization

/// The customers without purchases that were requested: the API creates a customer for every requested id.
final class KnownCustomers: Sendable {
    private let userIDs = Mutex<Set<String>>([])

    /// Returns `true` if the customer was requested before, and records the request.
    func knows(_ userID: String) -> Bool {
        self.userIDs.withLock { !$0.insert(userID).inserted }
    }
}

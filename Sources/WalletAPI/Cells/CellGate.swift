import Synchronization

/// Indicates whether one of several wallets accepts requests: from the moment its database was first found usable.
///
/// The gate never closes again. If the database fails later, each request returns its own error.
public final class CellGate: Sendable {
    private let opened = Atomic<Bool>(false)

    /// Creates a closed gate.
    public init() {}

    /// A Boolean value that indicates whether the wallet accepts requests.
    public var isOpen: Bool { self.opened.load(ordering: .acquiring) }

    /// Opens the gate permanently.
    public func open() { self.opened.store(true, ordering: .releasing) }
}

import Synchronization

/// Whether one wallet of several takes requests: from when its database was found usable.
///
/// What happens to the database later is no concern of the gate: then each request is answered by what comes of it.
public final class CellGate: Sendable {
    private let opened = Atomic<Bool>(false)

    /// Makes a closed gate.
    public init() {}

    /// Whether the wallet takes requests.
    public var isOpen: Bool { self.opened.load(ordering: .acquiring) }

    /// Lets requests in, once and for all.
    public func open() { self.opened.store(true, ordering: .releasing) }
}

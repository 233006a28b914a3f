/// The routes that an app reads.
enum LoadRead: String, Sendable, CaseIterable {
    case balance
    case classes
    case bookings

    /// Selects a route: half of the reads are of the balance, which an app shows on every screen.
    static func picked(by fraction: Double) -> LoadRead {
        fraction < 0.5 ? .balance : fraction < 0.75 ? .classes : .bookings
    }

    /// The path with its query.
    var path: String {
        switch self {
        case .balance: "/balance"
        case .classes: "/classes?limit=20"
        case .bookings: "/bookings?limit=20"
        }
    }
}

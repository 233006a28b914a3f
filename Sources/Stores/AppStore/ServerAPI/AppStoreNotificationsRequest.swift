import Foundation

/// The body of a call for the notifications of a time.
struct AppStoreNotificationsRequest: Encodable {
    /// In milliseconds since 1970.
    let startDate: Int64
    /// In milliseconds since 1970.
    let endDate: Int64
    let onlyFailures: Bool

    init(from start: Date, to end: Date, onlyFailures: Bool) {
        self.startDate = start.millisecondsSince1970
        self.endDate = end.millisecondsSince1970
        self.onlyFailures = onlyFailures
    }
}

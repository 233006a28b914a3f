public import Foundation

/// Stores the sessions that were signed out before their expiry, for all instances of the service.
public struct EndedSessions: Sendable {
    let end: @Sendable (_ digest: Data, _ until: Date) async throws -> Void
    let isEnded: @Sendable (_ digest: Data) async throws -> Bool

    /// Creates the storage from two functions.
    ///
    /// - Parameters:
    ///   - end: A function that stores an ended session until its regular expiry.
    ///   - isEnded: A function that returns whether a session is stored as ended.
    public init(
        end: @escaping @Sendable (_ digest: Data, _ until: Date) async throws -> Void,
        isEnded: @escaping @Sendable (_ digest: Data) async throws -> Bool
    ) {
        self.end = end
        self.isEnded = isEnded
    }
}

public import Foundation

/// Remembers sessions that were signed out before their end, for all instances of the service.
public struct EndedSessions: Sendable {
    let end: @Sendable (_ digest: Data, _ until: Date) async throws -> Void
    let isEnded: @Sendable (_ digest: Data) async throws -> Bool

    /// Says where they are kept.
    ///
    /// - Parameters:
    ///   - end: Keeps one, until the instant at which it would have ended by itself.
    ///   - isEnded: Whether one is kept.
    public init(
        end: @escaping @Sendable (_ digest: Data, _ until: Date) async throws -> Void,
        isEnded: @escaping @Sendable (_ digest: Data) async throws -> Bool
    ) {
        self.end = end
        self.isEnded = isEnded
    }
}

import Foundation
import Postgres

extension Wallet {
    /// Creates or changes a class for an operator, once per key.
    ///
    /// SQL: `functions/classes/put_class.sql`.
    ///
    /// - Parameters:
    ///   - id: The operator's id of the class.
    ///   - definition: The new definition; an omitted member gets the default of a new class.
    ///   - actor: The operator.
    ///   - key: The request's Idempotency-Key.
    ///   - environment: The environment whose seats the result contains.
    /// - Returns: The class in its current state.
    /// - Throws: ``WalletError`` 403 `right-missing`, 409 `capacity-below-sold` or `class-closed`, 422
    ///   `class-in-the-past`, `idempotency-key-reused` or `not-acceptable`, 503 when the database does not answer.
    public func putClass(
        _ id: String,
        _ definition: ClassDefinition,
        by actor: OperatorIdentity,
        key: String,
        in environment: WalletEnvironment
    ) async throws -> ClassSession {
        let limits = definition.limits ?? ClassLimits()
        _ = try await self.query(
            """
            SELECT wallet.put_class(
                \(id), \(definition.title), \(definition.startsAt), \(definition.endsAt),
                \(Int32(clamping: definition.capacity)), \(definition.price.credits), \(definition.price.visits),
                \(Int32(clamping: definition.cancellation?.freeMinutesBefore ?? 1440)), \(actor.id.rawValue), \(key),
                ROW(
                    \(limits.maxSeats.map { Int32(clamping: $0) }), \(limits.daysAhead.map { Int32(clamping: $0) }),
                    \(limits.opensMinutesBefore.map { Int32(clamping: $0) }),
                    \(limits.closesMinutesBefore.map { Int32(clamping: $0) }),
                    \(limits.maxOverlaps.map { Int32(clamping: $0) }),
                    \(definition.waitlist.map { Int32(clamping: $0.cutoffMinutes) })
                )::wallet.class_limits,
                \(actor.right.rawValue)::wallet.operator_right
            )
            """
        ) { _ in }
        return try await self.classSession(id, in: environment)
    }

    /// Cancels a class for an operator: bookings become impossible, and existing bookings are refunded in full.
    ///
    /// SQL: `functions/bookings/cancel_class.sql`; ``settleClasses(limit:)`` settles the bookings later.
    ///
    /// - Parameters:
    ///   - id: The operator's id of the class.
    ///   - reason: The reason, for the books.
    ///   - actor: The operator.
    ///   - key: The request's Idempotency-Key.
    ///   - environment: The environment whose seats the result contains.
    /// - Returns: The class in its current state.
    /// - Throws: ``WalletError`` 403 `right-missing`, 404 `class-not-found`, 409 `class-closed` if it has begun, 422
    ///   `idempotency-key-reused`, 503 when the database does not answer.
    public func cancelClass(
        _ id: String,
        reason: String,
        by actor: OperatorIdentity,
        key: String,
        in environment: WalletEnvironment
    ) async throws -> ClassSession {
        _ = try await self.query(
            """
            SELECT wallet.cancel_class(
                \(id), \(reason), \(actor.id.rawValue), \(key), \(actor.right.rawValue)::wallet.operator_right
            )::text AS done
            """
        ) { _ in }
        return try await self.classSession(id, in: environment)
    }
}

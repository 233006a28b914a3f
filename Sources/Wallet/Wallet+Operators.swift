import Foundation
import Postgres

extension Wallet {
    /// Makes or changes a class for an operator, once per key.
    ///
    /// SQL: `functions/classes/put_class.sql`.
    ///
    /// - Parameters:
    ///   - id: The operator's id of the class.
    ///   - definition: What it is to be; what it does not name is as for a new class.
    ///   - actor: The operator.
    ///   - key: The request's Idempotency-Key.
    ///   - environment: Whose seats to count in the answer.
    /// - Returns: The class as it is now.
    /// - Throws: ``WalletError`` 409 `capacity-below-sold` or `class-closed`, 422 `idempotency-key-reused` or
    ///   `not-acceptable`, 503 when the database does not answer.
    public func putClass(
        _ id: String,
        _ definition: ClassDefinition,
        by actor: UserID,
        key: String,
        in environment: WalletEnvironment
    ) async throws -> ClassSession {
        let limits = definition.limits ?? ClassLimits()
        _ = try await self.query(
            """
            SELECT wallet.put_class(
                \(id), \(definition.title), \(definition.startsAt), \(definition.endsAt),
                \(Int32(clamping: definition.capacity)), \(definition.price.credits), \(definition.price.visits),
                \(Int32(clamping: definition.cancellation?.freeMinutesBefore ?? 1440)), \(actor.rawValue), \(key),
                ROW(
                    \(limits.maxSeats.map { Int32(clamping: $0) }), \(limits.daysAhead.map { Int32(clamping: $0) }),
                    \(limits.opensMinutesBefore.map { Int32(clamping: $0) }),
                    \(limits.closesMinutesBefore.map { Int32(clamping: $0) }),
                    \(limits.maxOverlaps.map { Int32(clamping: $0) }),
                    \(definition.waitlist.map { Int32(clamping: $0.cutoffMinutes) })
                )::wallet.class_limits
            )
            """
        ) { _ in }
        return try await self.classSession(id, in: environment)
    }

    /// Cancels a class for an operator: nobody books it from then on, and those who did get everything back.
    ///
    /// SQL: `functions/classes/cancel_class.sql`; the bookings follow in ``settleClasses(limit:)``.
    ///
    /// - Parameters:
    ///   - id: The operator's id of the class.
    ///   - reason: Why, for the books.
    ///   - actor: The operator.
    ///   - key: The request's Idempotency-Key.
    ///   - environment: Whose seats to count in the answer.
    /// - Returns: The class as it is now.
    /// - Throws: ``WalletError`` 404 `class-not-found`, 409 `class-closed` when it has begun, 422
    ///   `idempotency-key-reused`, 503 when the database does not answer.
    public func cancelClass(
        _ id: String,
        reason: String,
        by actor: UserID,
        key: String,
        in environment: WalletEnvironment
    ) async throws -> ClassSession {
        _ = try await self.query(
            "SELECT wallet.cancel_class(\(id), \(reason), \(actor.rawValue), \(key))::text AS done"
        ) { _ in }
        return try await self.classSession(id, in: environment)
    }

    /// Makes or changes a product for an operator, once per key; what was sold stays as it was sold.
    ///
    /// SQL: `functions/catalogue/put_product.sql`, `views/catalogue/catalogue.sql`.
    ///
    /// - Parameters:
    ///   - id: The catalogue's product id.
    ///   - definition: What it is to be; what it does not name is as for a new product.
    ///   - actor: The operator.
    ///   - key: The request's Idempotency-Key.
    /// - Returns: The product as it is now.
    /// - Throws: ``WalletError`` 409 `product-kind-fixed` or `store-id-taken`, 422 `idempotency-key-reused` or
    ///   `not-acceptable`, 503 when the database does not answer.
    public func putProduct(
        _ id: String,
        _ definition: ProductDefinition,
        by actor: UserID,
        key: String
    ) async throws -> Product {
        let ids = definition.storeIDs
        _ = try await self.query(
            """
            SELECT wallet.put_product(
                \(id),
                jsonb_strip_nulls(\(json: definition) - '{price,store_ids}'::text[] || jsonb_build_object(
                    'price_minor', \(definition.price.minorAmount), 'currency', \(definition.price.currency),
                    'app_store_id', \(ids?.appStore), 'play_store_id', \(ids?.playStore),
                    'revenuecat_id', \(ids?.revenueCat)
                )),
                \(actor.rawValue), \(key)
            )::text AS done
            """
        ) { _ in }
        let found = try await self.query("SELECT c.definition FROM wallet.catalogue AS c WHERE c.product_id = \(id)") {
            row in Product(productID: id, definition: try row.decodeJSON("definition"))
        }
        guard let product = found.first else { throw WalletError(status: 500, slug: "internal-error") }
        return product
    }

    /// Adds to a wallet or takes from it for an operator, once per reference and once per key.
    ///
    /// SQL: `functions/ledger/operator_adjust.sql`.
    ///
    /// - Parameters:
    ///   - adjustment: What to post.
    ///   - actor: The operator.
    ///   - key: The request's Idempotency-Key.
    ///   - environment: Which of the user's wallets.
    /// - Returns: What was posted and the balance after it.
    /// - Throws: ``WalletError`` 402 `insufficient-credits`, 409 `reference-reused`, 422 `idempotency-key-reused`,
    ///   `expiry-passed` or `gift-not-positive`, 503 when the database does not answer.
    public func adjust(
        _ adjustment: Adjustment,
        by actor: UserID,
        key: String,
        in environment: WalletEnvironment
    ) async throws -> AdjustmentReceipt {
        let source = adjustment.source == .gift ? "promo" : "adjustment"
        let receipts = try await self.query(
            """
            SELECT a.replayed, a.lot_id, a.expires_at, a.credits, a.visits, a.version FROM wallet.operator_adjust(
                \(adjustment.userID), \(environment.rawValue)::wallet.environment,
                \(adjustment.unit.rawValue)::wallet.unit, \(adjustment.amount), \(adjustment.reference),
                \(adjustment.reason), \(source), \(adjustment.expiresAt), \(actor.rawValue), \(key)
            ) AS a
            """
        ) { row in
            AdjustmentReceipt(
                adjustment: AdjustmentReceipt.Posted(
                    adjustment,
                    environment: environment,
                    lotID: try row.decode("lot_id"),
                    expiresAt: try row.decode("expires_at")
                ),
                balance: try BalanceSummary(row: row),
                replayed: try row.decode("replayed")
            )
        }
        guard let receipt = receipts.first else { throw WalletError(status: 500, slug: "internal-error") }
        return receipt
    }
}

import Foundation
import Stores
import TestSupport
import Wallet

extension WalkDatabase {
    /// The store's id of a catalogue pack: `starter` (25), `explorer` (50), `enthusiast` (100), `power` (200).
    static func pack(_ name: String) -> String { "com.hobbyist.bookingapp.credits.\(name)" }

    /// Returns the fact of a receipt for a pack that was just bought.
    func fact(_ transactionID: String, _ product: String = pack("power")) async throws -> StoreFact {
        let now = try await self.wallet.now()
        return StoreFact(
            store: .appStore,
            environment: .production,
            transactionID: transactionID,
            storeProductID: product,
            kind: .oneTime,
            quantity: 1,
            purchasedAt: now.addingTimeInterval(-60),
            source: .receipt,
            sourceAt: now
        )
    }

    /// Buys a pack for a user.
    @discardableResult
    func buy(_ product: String = pack("power"), for user: UserID, _ transactionID: String) async throws -> FactOutcome {
        try await self.wallet.apply(try await self.fact(transactionID, product), submittedBy: user)
    }

    /// Creates a class that begins in two days by default.
    func makeClass(_ id: String, credits: Int64 = 25, seats: Int = 10, hours: Int = 48) async throws {
        let startsAt = try await self.wallet.now().addingTimeInterval(Double(hours) * 3_600)
        let definition = ClassDefinition(
            title: "A class",
            startsAt: startsAt,
            endsAt: startsAt.addingTimeInterval(3_600),
            capacity: seats,
            price: SeatPrice(credits: credits, visits: 1)
        )
        _ = try await self.wallet.putClass(id, definition, by: .clerk, key: UUID().uuidString, in: .production)
    }

    /// Changes the number of seats of a class.
    func resize(_ id: String, seats: Int, key: String) async throws {
        let session = try await self.wallet.classSession(id, in: .production)
        let definition = ClassDefinition(
            title: session.title,
            startsAt: session.startsAt,
            endsAt: session.endsAt,
            capacity: seats,
            price: session.price,
            cancellation: session.cancellation
        )
        _ = try await self.wallet.putClass(id, definition, by: .clerk, key: key, in: .production)
    }
}

extension UserID {
    static let anna = UserID(rawValue: "anna")
    static let ben = UserID(rawValue: "ben")
    /// A user who never made a request.
    static let nobody = UserID(rawValue: "nobody")
}

extension OperatorIdentity {
    static let clerk = OperatorIdentity(id: UserID(rawValue: "operator"), right: .operator)
}

/// Returns the result of a call: its value, or the wallet's refusal.
func outcome<Value: Sendable>(_ work: () async throws -> Value) async throws -> Result<Value, WalletError> {
    do {
        return .success(try await work())
    } catch let error as WalletError {
        return .failure(error)
    }
}

/// Runs work several times concurrently.
func atOnce<Value: Sendable>(
    _ times: Int,
    _ work: @escaping @Sendable (Int) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
        for number in 0..<times { group.addTask { try await work(number) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}

extension [Result<BookingResult, WalletError>] {
    var receipts: [BookingResult] {
        self.compactMap { if case .success(let receipt) = $0 { receipt } else { nil } }
    }

    /// The number of refusals by slug.
    var refusals: [String: Int] {
        self.reduce(into: [:]) { counts, result in
            if case .failure(let error) = result { counts[error.slug, default: 0] += 1 }
        }
    }
}

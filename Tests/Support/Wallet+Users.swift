public import Foundation
public import Stores
public import Wallet

/// Operations of the wallet for users without a token.
extension Wallet {
    /// Books a class.
    public func book(
        _ new: BookingRequest,
        for user: UserID,
        in environment: WalletEnvironment,
        key: String
    ) async throws -> BookingResult {
        try await self.book(new, for: Caller(admitted: user), in: environment, key: key)
    }

    /// Cancels a booking.
    public func cancel(
        _ id: UUID,
        for user: UserID,
        in environment: WalletEnvironment
    ) async throws -> BookingResult {
        try await self.cancel(id, for: Caller(admitted: user), in: environment)
    }

    /// Returns the result that a booking would have.
    public func quote(
        _ new: BookingRequest,
        for user: UserID,
        in environment: WalletEnvironment
    ) async throws -> BookingQuote {
        try await self.quote(new, for: Caller(admitted: user), in: environment)
    }

    /// Applies a purchase that the user submits.
    public func apply(_ fact: StoreFact, submittedBy user: UserID) async throws -> FactOutcome {
        try await self.apply([fact], submittedBy: Caller(admitted: user), attestedByStore: false)[0]
    }

    /// Joins a class's waitlist.
    public func joinWaitlist(
        _ request: WaitlistRequest,
        of classID: String,
        for user: UserID,
        in environment: WalletEnvironment
    ) async throws -> WaitlistResult {
        try await self.joinWaitlist(request, of: classID, for: Caller(admitted: user), in: environment)
    }

    /// Leaves a class's waitlist.
    public func leaveWaitlist(of classID: String, for user: UserID, in environment: WalletEnvironment) async throws {
        try await self.leaveWaitlist(of: classID, for: Caller(admitted: user), in: environment)
    }

    /// Spends a visit of a pass.
    public func consumePass(
        _ transactionID: String,
        reference: String,
        for user: UserID,
        in environment: WalletEnvironment
    ) async throws -> ConsumeResult {
        try await self.consumePass(
            transactionID,
            reference: reference,
            for: Caller(admitted: user),
            in: environment
        )
    }

    /// Merges an anonymous user into another user.
    public func merge(_ anonymous: UserID, into user: UserID) async throws {
        try await self.merge(Caller(admitted: anonymous), into: Caller(admitted: user))
    }

    /// Deletes a user's account.
    public func deleteAccount(of user: UserID) async throws {
        try await self.deleteAccount(of: Caller(admitted: user))
    }
}

extension BalanceChanges {
    /// Follows the balance of a user without a token.
    public func follow(
        _ user: UserID,
        in environment: WalletEnvironment,
        onUpdate: @escaping @Sendable (BalanceUpdate) -> Void
    ) async throws -> BalanceSubscription {
        try await self.follow(Caller(admitted: user), in: environment, onUpdate: onUpdate)
    }
}

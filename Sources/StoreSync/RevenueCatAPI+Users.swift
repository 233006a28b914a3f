public import Stores
public import Wallet

extension RevenueCatAPI {
    /// Returns a user's current purchases at RevenueCat.
    ///
    /// RevenueCat compares ids exactly, and an app on iOS may have sent the user id in upper case. If the usual
    /// spelling has no purchases, the other one is requested.
    ///
    /// - Parameter user: The user.
    /// - Returns: One fact per purchase.
    /// - Throws: As ``statements(ofUser:)``.
    public func statements(of user: UserID) async throws(StoreError) -> [StoreEvent.AttributedFact] {
        for id in user.spellings {
            let statements = try await self.statements(ofUser: id)
            if !statements.isEmpty { return statements }
        }
        return []
    }
}

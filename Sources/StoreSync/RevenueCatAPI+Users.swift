public import Stores
public import Wallet

extension RevenueCatAPI {
    /// Returns what RevenueCat knows of a user's purchases now.
    ///
    /// RevenueCat compares ids exactly, and an app on iOS may have named the user in upper case: that customer is asked
    /// about where the usual spelling has bought nothing.
    ///
    /// - Parameter user: The user.
    /// - Returns: One statement for each purchase.
    /// - Throws: As ``statements(ofUser:)``.
    public func statements(of user: UserID) async throws(StoreError) -> [StoreEvent.AttributedFact] {
        for id in user.spellings {
            let statements = try await self.statements(ofUser: id)
            if !statements.isEmpty { return statements }
        }
        return []
    }
}

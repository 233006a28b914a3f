import Foundation

extension SandboxTransaction {
    /// When it ends as RevenueCat shows it: at the refund, where one came before the paid end.
    var revenueCatEnd: Date? {
        guard let expiresAt = self.expiresAt else { return nil }
        guard self.isUndone, let undoneAt = self.revokedAt ?? self.cancelledAt else { return expiresAt }
        return min(expiresAt, undoneAt)
    }

    /// The original transaction id; on Google Play the order without the number of its renewal.
    var revenueCatOriginalID: String {
        guard self.store == .googlePlay, let dots = self.originalID.range(of: "..") else { return self.originalID }
        return String(self.originalID[..<dots.lowerBound])
    }

    /// The product as the API names it, with Google Play's base plan apart.
    var revenueCatProduct: (id: String, plan: String?) {
        self.store == .googlePlay ? (self.playProduct.id, self.playProduct.basePlan) : (self.productID, nil)
    }

    /// The sort of period, in lower case.
    var revenueCatPeriodType: String { self.isTrial ? "trial" : "normal" }

    /// The price in whole units of the currency, without the noise of binary fractions.
    var revenueCatPrice: Double { self.isTrial ? 0 : Double(self.priceMilliunits ?? 9_990) / 1_000 }
}

import Foundation

extension SandboxTransaction {
    /// The end of the period in RevenueCat's data: the time of a refund or revocation if it precedes the paid end.
    var revenueCatEnd: Date? {
        guard let expiresAt = self.expiresAt else { return nil }
        guard self.isUndone, let undoneAt = self.revokedAt ?? self.cancelledAt else { return expiresAt }
        return min(expiresAt, undoneAt)
    }

    /// The original transaction id; on Google Play, the order id without the renewal number.
    var revenueCatOriginalID: String {
        guard self.store == .googlePlay, let dots = self.originalID.range(of: "..") else { return self.originalID }
        return String(self.originalID[..<dots.lowerBound])
    }

    /// The product in the API's format, with Google Play's base plan as a separate value.
    var revenueCatProduct: (id: String, plan: String?) {
        self.store == .googlePlay ? (self.playProduct.id, self.playProduct.basePlan) : (self.productID, nil)
    }

    /// The period type in lower case.
    var revenueCatPeriodType: String { self.isTrial ? "trial" : "normal" }

    /// The price in units of the currency; 0 for a trial, and 9.99 if no price was set.
    var revenueCatPrice: Double { self.isTrial ? 0 : Double(self.priceMilliunits ?? 9_990) / 1_000 }
}

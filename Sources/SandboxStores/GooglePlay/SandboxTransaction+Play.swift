import Foundation

extension SandboxTransaction {
    /// The product id without its base plan, and the base plan if the id contains one.
    var playProduct: (id: String, basePlan: String?) {
        guard let colon = self.productID.firstIndex(of: ":") else { return (self.productID, nil) }
        return (String(self.productID[..<colon]), String(self.productID[self.productID.index(after: colon)...]))
    }

    /// The order id in the API's answers; nil before the payment.
    var playOrderID: String? { self.pendingSince == nil ? self.orderID : nil }
}

import Foundation

extension SandboxTransaction {
    /// The product without its base plan, and the base plan where the product's name has one.
    var playProduct: (id: String, basePlan: String?) {
        guard let colon = self.productID.firstIndex(of: ":") else { return (self.productID, nil) }
        return (String(self.productID[..<colon]), String(self.productID[self.productID.index(after: colon)...]))
    }

    /// The order id as the API shows it: none before the payment.
    var playOrderID: String? { self.pendingSince == nil ? self.orderID : nil }
}

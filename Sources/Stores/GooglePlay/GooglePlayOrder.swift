/// Google Play's order ids: the first order of a subscription, and its renewals `..0`, `..1` and so on.
enum GooglePlayOrder {
    /// The order that the subscription began with, which all its renewals have in common.
    static func base(of orderID: String) -> String {
        guard let dots = self.dots(in: orderID) else { return orderID }
        return String(orderID[..<dots.lowerBound])
    }

    /// The order is a renewal and not the first one.
    static func isRenewal(_ orderID: String) -> Bool {
        self.dots(in: orderID) != nil
    }

    private static func dots(in orderID: String) -> Range<String.Index>? {
        guard let dots = orderID.ranges(of: "..").last, dots.lowerBound != orderID.startIndex else { return nil }
        let number = orderID[dots.upperBound...].utf8
        return !number.isEmpty && number.allSatisfy { (48...57).contains($0) } ? dots : nil
    }
}

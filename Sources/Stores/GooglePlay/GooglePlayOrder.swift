/// Google Play's order ids: the first order of a subscription, and its renewals `..0`, `..1` and so on.
enum GooglePlayOrder {
    /// The order that the subscription began with, which all its renewals have in common.
    static func base(of orderID: String) -> String {
        guard let dots = self.dots(in: orderID) else { return orderID }
        return String(orderID[..<dots.lowerBound])
    }

    /// The number of the renewal, from 0 on; nil for the first order of a subscription.
    static func renewal(in orderID: String) -> Int? {
        self.dots(in: orderID).flatMap { Int(orderID[$0.upperBound...]) }
    }

    // More digits than these would be more renewals than there are hours in a century.
    private static func dots(in orderID: String) -> Range<String.Index>? {
        guard let dots = orderID.ranges(of: "..").last, dots.lowerBound != orderID.startIndex else { return nil }
        let number = orderID[dots.upperBound...].utf8
        return (1...6).contains(number.count) && number.allSatisfy { (48...57).contains($0) } ? dots : nil
    }
}

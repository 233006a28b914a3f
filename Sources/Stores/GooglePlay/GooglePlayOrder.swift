/// Google Play's order ids: the first order of a subscription, and its renewals `..0`, `..1` and so on.
enum GooglePlayOrder {
    /// Returns the first order of the subscription, which is the common prefix of its renewals.
    static func base(of orderID: String) -> String {
        guard let dots = self.dots(in: orderID) else { return orderID }
        return String(orderID[..<dots.lowerBound])
    }

    /// Returns the number of the renewal, starting at 0; nil for the first order of a subscription.
    static func renewal(in orderID: String) -> Int? {
        self.dots(in: orderID).flatMap { Int(orderID[$0.upperBound...]) }
    }

    // The renewal number has at most 6 digits: more would mean more renewals than there are hours in a century.
    private static func dots(in orderID: String) -> Range<String.Index>? {
        guard let dots = orderID.ranges(of: "..").last, dots.lowerBound != orderID.startIndex else { return nil }
        let number = orderID[dots.upperBound...].utf8
        return (1...6).contains(number.count) && number.allSatisfy { (48...57).contains($0) } ? dots : nil
    }
}

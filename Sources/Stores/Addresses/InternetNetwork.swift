/// A range of addresses: one address, or all that begin with the same bits.
public struct InternetNetwork: Hashable, Sendable {
    private let base: InternetAddress
    private let bits: Int

    /// Reads an address or a range, such as `10.0.0.0/8`.
    ///
    /// - Parameter text: An address, and the number of its leading bits behind a slash unless it is meant alone.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let first = parts.first, let address = InternetAddress(first) else { return nil }
        let isV4 = address.v4 != nil && !first.contains(":")
        var bits = isV4 ? 32 : 128
        if parts.count == 2 {
            guard let given = Int(parts[1]), (0...bits).contains(given), parts[1] == "\(given)" else { return nil }
            bits = given
        }
        self.bits = isV4 ? bits + 96 : bits
        self.base = address
    }

    /// Makes a range that is known to be one.
    init(high: UInt64, low: UInt64 = 0, bits: Int) {
        self.base = InternetAddress(high: high, low: low)
        self.bits = bits
    }

    /// Makes a range of IPv4.
    init(v4 number: UInt32, bits: Int) {
        self.base = InternetAddress(v4: number)
        self.bits = 96 + bits
    }

    /// Returns whether an address is in the range.
    ///
    /// - Parameter address: The address.
    /// - Returns: Whether it is.
    public func contains(_ address: InternetAddress) -> Bool {
        // Shifts by more than a number's width give 0 in Swift, which is the mask that is wanted then.
        let high = ~(UInt64.max >> UInt64(min(self.bits, 64)))
        let low = ~(UInt64.max >> UInt64(max(self.bits - 64, 0)))
        return address.high & high == self.base.high & high && address.low & low == self.base.low & low
    }
}

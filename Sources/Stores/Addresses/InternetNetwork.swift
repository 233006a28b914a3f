/// A range of IP addresses: one address, or all addresses with the same leading bits.
public struct InternetNetwork: Hashable, Sendable {
    private let base: InternetAddress
    private let bits: Int

    /// Creates a range from an address or from CIDR notation, such as `10.0.0.0/8`.
    ///
    /// - Parameter text: An address, optionally followed by a slash and the number of leading bits. Without the bits,
    ///   the range is that one address.
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

    /// Creates an IPv6 range from the leading bits of its addresses.
    init(high: UInt64, low: UInt64 = 0, bits: Int) {
        self.base = InternetAddress(high: high, low: low)
        self.bits = bits
    }

    /// Creates an IPv4 range.
    init(v4 number: UInt32, bits: Int) {
        self.base = InternetAddress(v4: number)
        self.bits = 96 + bits
    }

    /// Returns a Boolean value that indicates whether the range contains an address.
    ///
    /// - Parameter address: The address.
    /// - Returns: `true` if the address is in the range.
    public func contains(_ address: InternetAddress) -> Bool {
        // In Swift, shifting by the full width of the number gives 0, which is the required mask.
        let high = ~(UInt64.max >> UInt64(min(self.bits, 64)))
        let low = ~(UInt64.max >> UInt64(max(self.bits - 64, 0)))
        return address.high & high == self.base.high & high && address.low & low == self.base.low & low
    }
}

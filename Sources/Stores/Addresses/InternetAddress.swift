import Foundation

/// An IP address; an IPv4 address is stored as its IPv4-mapped IPv6 address.
public struct InternetAddress: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates an IPv4 address from its 32-bit number.
    init(v4 number: UInt32) {
        self.init(high: 0, low: Self.mappedMark | UInt64(number))
    }

    /// Creates an address from its text, such as `192.0.2.1` or `2001:db8::1`.
    ///
    /// - Parameter text: The address, without brackets and port. Other text gives nil.
    public init?(_ text: String) {
        guard text.utf8.count <= 45, !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET6, text, &bytes) == 1 {
            self.init(high: Self.number(bytes[..<8]), low: Self.number(bytes[8...]))
        } else if inet_pton(AF_INET, text, &bytes) == 1 {
            self.init(v4: UInt32(truncatingIfNeeded: Self.number(bytes[..<4])))
        } else {
            return nil
        }
    }

    /// Creates an address from the host of a URL; accepts IPv6 in brackets and a zone identifier.
    ///
    /// Forms that only a resolver accepts as an address, such as `0x7f.1`, are treated as names. The connection's
    /// remote address is checked later.
    ///
    /// - Parameter host: The host of a URL. A name gives nil.
    public init?(host: String) {
        var text = host[...]
        if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
        // A trailing dot does not change the host.
        if text.hasSuffix(".") { text = text.dropLast() }
        self.init(String(text.prefix { $0 != "%" }))
    }

    /// The IPv4 address as a number; nil for IPv6.
    var v4: UInt32? {
        guard self.high == 0, self.low & ~UInt64(UInt32.max) == Self.mappedMark else { return nil }
        return UInt32(truncatingIfNeeded: self.low)
    }

    /// The address that identifies one client: the IPv4 address itself, or the /64 prefix of an IPv6 address.
    public var client: InternetAddress {
        self.v4 == nil ? InternetAddress(high: self.high, low: 0) : self
    }

    private static let mappedMark: UInt64 = 0xFFFF << 32

    private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension InternetAddress: CustomStringConvertible {
    /// The address as it is usually written.
    public var description: String {
        if let number = self.v4 {
            return [24, 16, 8, 0].map { "\(number >> UInt32($0) & 0xFF)" }.joined(separator: ".")
        }
        return [self.high, self.low].flatMap { half in
            [48, 32, 16, 0].map { String(half >> UInt64($0) & 0xFFFF, radix: 16) }
        }.joined(separator: ":")
    }
}

extension InternetAddress {
    /// A Boolean value that indicates whether the address is on the public internet.
    ///
    /// Addresses of this machine, of private networks and of reserved ranges are not public. An IPv6 address that
    /// embeds an IPv4 address (mapped, compatible, translated, 6to4) is public if the IPv4 address is.
    public var isPublic: Bool {
        if let inner = self.carried { return !Self.closedV4.contains { $0.contains(inner) } }
        return Self.open.contains(self) && !Self.closed.contains { $0.contains(self) }
    }

    /// The embedded IPv4 address; an IPv4 address returns itself.
    private var carried: InternetAddress? {
        if self.v4 != nil { return self }
        // The form ::a.b.c.d, which includes :: and ::1.
        if self.high == 0, self.low >> 32 == 0 { return InternetAddress(v4: UInt32(truncatingIfNeeded: self.low)) }
        if self.high == 0x0064_FF9B_0000_0000, self.low >> 32 == 0 {
            return InternetAddress(v4: UInt32(truncatingIfNeeded: self.low))
        }
        if self.high >> 48 == 0x2002 { return InternetAddress(v4: UInt32(truncatingIfNeeded: self.high >> 16)) }
        return nil
    }

    /// The range of globally allocated unicast addresses, 2000::/3.
    private static let open = InternetNetwork(high: 0x2000_0000_0000_0000, bits: 3)

    /// Ranges inside ``open`` that are not routed, or that are tunneled (Teredo).
    private static let closed = [
        InternetNetwork(high: 0x2001_0000_0000_0000, bits: 32),
        InternetNetwork(high: 0x2001_0DB8_0000_0000, bits: 32),
        InternetNetwork(high: 0x3FFF_0000_0000_0000, bits: 20),
    ]

    /// Reserved ranges: this network, private, carrier-grade NAT, loopback, link-local, test, multicast and future use.
    private static let closedV4 = [
        InternetNetwork(v4: 0x0000_0000, bits: 8), InternetNetwork(v4: 0x0A00_0000, bits: 8),
        InternetNetwork(v4: 0x6440_0000, bits: 10), InternetNetwork(v4: 0x7F00_0000, bits: 8),
        InternetNetwork(v4: 0xA9FE_0000, bits: 16), InternetNetwork(v4: 0xAC10_0000, bits: 12),
        InternetNetwork(v4: 0xC000_0000, bits: 24), InternetNetwork(v4: 0xC000_0200, bits: 24),
        InternetNetwork(v4: 0xC058_6300, bits: 24), InternetNetwork(v4: 0xC0A8_0000, bits: 16),
        InternetNetwork(v4: 0xC612_0000, bits: 15), InternetNetwork(v4: 0xC633_6400, bits: 24),
        InternetNetwork(v4: 0xCB00_7100, bits: 24), InternetNetwork(v4: 0xE000_0000, bits: 3),
    ]
}

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

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

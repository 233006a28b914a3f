extension InternetAddress {
    /// Whether the address leads out into the internet: not to this machine, not into a network around it, and not to
    /// where nobody is.
    ///
    /// Addresses that carry one of IPv4 inside (mapped, compatible, translated, 6to4) are as public as that one.
    public var isPublic: Bool {
        if let inner = self.carried { return !Self.closedV4.contains { $0.contains(inner) } }
        return Self.open.contains(self) && !Self.closed.contains { $0.contains(self) }
    }

    /// The address of IPv4 inside; of IPv4 itself that is the address.
    private var carried: InternetAddress? {
        if self.v4 != nil { return self }
        // ::a.b.c.d, which is also where :: and ::1 are.
        if self.high == 0, self.low >> 32 == 0 { return InternetAddress(v4: UInt32(truncatingIfNeeded: self.low)) }
        if self.high == 0x0064_FF9B_0000_0000, self.low >> 32 == 0 {
            return InternetAddress(v4: UInt32(truncatingIfNeeded: self.low))
        }
        if self.high >> 48 == 0x2002 { return InternetAddress(v4: UInt32(truncatingIfNeeded: self.high >> 16)) }
        return nil
    }

    /// What is given out to the world.
    private static let open = InternetNetwork(high: 0x2000_0000_0000_0000, bits: 3)

    /// Parts of it that lead nowhere, or by way of somebody's tunnel to anywhere.
    private static let closed = [
        InternetNetwork(high: 0x2001_0000_0000_0000, bits: 32),
        InternetNetwork(high: 0x2001_0DB8_0000_0000, bits: 32),
        InternetNetwork(high: 0x3FFF_0000_0000_0000, bits: 20),
    ]

    /// This network, private ones, carriers' ones, this machine, the link, tests, multicast and what is reserved.
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

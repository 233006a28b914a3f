import Foundation

/// An address of the internet protocol; one of IPv4 counts as the address of IPv6 that it is mapped to.
public struct InternetAddress: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Makes an address of IPv4 from its number.
    init(v4 number: UInt32) {
        self.init(high: 0, low: Self.mappedMark | UInt64(number))
    }

    /// Reads an address as it stands in a list of addresses: `192.0.2.1` or `2001:db8::1`.
    ///
    /// - Parameter text: The address, without brackets and port.
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

    /// Reads an address as it may stand in a URL: in the usual forms, IPv6 in brackets too, with or without a zone.
    ///
    /// What a resolver alone takes for an address, such as `0x7f.1`, is a name here; the connection shows where it leads.
    ///
    /// - Parameter host: The host of a URL; nil comes of a name.
    public init?(host: String) {
        var text = host[...]
        if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
        // One dot at the end means the same host.
        if text.hasSuffix(".") { text = text.dropLast() }
        self.init(String(text.prefix { $0 != "%" }))
    }

    /// The number of an address of IPv4; nil for one of IPv6.
    var v4: UInt32? {
        guard self.high == 0, self.low & ~UInt64(UInt32.max) == Self.mappedMark else { return nil }
        return UInt32(truncatingIfNeeded: self.low)
    }

    /// What stands for one client: the address itself, or the /64 of IPv6 that one client has to itself.
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

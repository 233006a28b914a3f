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

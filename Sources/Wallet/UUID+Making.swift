public import Foundation

extension UUID {
    /// Creates a UUID of version 4; unlike Foundation, this opens no file for each UUID.
    ///
    /// - Returns: The id.
    public static func random() -> UUID {
        Self.make(version: 4) { _ in }
    }

    /// Creates a UUID of version 7: 48 bits of milliseconds, then random bits, so that ids sort by time.
    ///
    /// - Returns: The id.
    public static func timeOrdered() -> UUID {
        let milliseconds = UInt64(Date().timeIntervalSince1970 * 1_000)
        return Self.make(version: 7) { bytes in
            for place in 0..<6 {
                bytes[place] = UInt8(truncatingIfNeeded: milliseconds >> UInt64(40 - 8 * place))
            }
        }
    }

    /// Creates random bytes, lets a closure replace some of them, and sets version and variant.
    private static func make(version: UInt8, _ change: (UnsafeMutableRawBufferPointer) -> Void) -> UUID {
        var generator = SystemRandomNumberGenerator()
        var bytes = (generator.next(), generator.next())
        withUnsafeMutableBytes(of: &bytes) { raw in
            change(raw)
            raw[6] = (raw[6] & 0x0F) | version << 4
            raw[8] = (raw[8] & 0x3F) | 0x80
        }
        return UUID(uuid: unsafeBitCast(bytes, to: uuid_t.self))
    }
}

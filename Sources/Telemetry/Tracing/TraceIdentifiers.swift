import Synchronization

/// Generates the ids of traces and spans.
///
/// Ids must be unique, not secret: SplitMix64 with a random start needs one atomic addition per number and no system
/// call.
enum TraceIdentifiers {
    private static let state = Atomic<UInt64>(UInt64.random(in: .min ... .max))

    static func traceID() -> String { Self.hexadecimal((Self.next(), Self.next()), digits: 32) }
    static func spanID() -> String { Self.hexadecimal((Self.next(), 0), digits: 16) }

    /// Returns a number other than zero.
    private static func next() -> UInt64 {
        var number = Self.state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
        number ^= number >> 31
        return number == 0 ? 1 : number
    }

    private static func hexadecimal(_ numbers: (UInt64, UInt64), digits: Int) -> String {
        String(unsafeUninitializedCapacity: digits) { buffer in
            for place in 0..<digits {
                let number = place < 16 ? numbers.0 : numbers.1
                let digit = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * (place & 15))) & 0xF
                buffer[place] = digit < 10 ? 0x30 + digit : 0x57 + digit
            }
            return digits
        }
    }
}

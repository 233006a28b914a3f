/// The limit on the nesting depth of external JSON.
///
/// Decoding takes time proportional to the depth, and a failed decoding takes time proportional to its third power. A
/// message that consists only of brackets would take seconds.
public enum JSONDepth {
    /// The maximum number of levels; the deepest message of a store or a client has less than half of it.
    public static let maximum = 32

    /// Returns a Boolean value that indicates whether JSON exceeds the maximum depth, without parsing it.
    ///
    /// - Parameter json: The JSON, which need not be well formed.
    /// - Returns: `true` if the maximum depth is exceeded.
    public static func isExceeded(by json: some Sequence<UInt8>) -> Bool {
        json.withContiguousStorageIfAvailable(Self.isExceeded(in:))
            ?? Array(json).withUnsafeBufferPointer(Self.isExceeded(in:))
    }

    private static func isExceeded(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var depth = 0
        var isInText = false
        var isEscaped = false
        for byte in bytes {
            if isEscaped {
                isEscaped = false
            } else if isInText {
                isEscaped = byte == UInt8(ascii: "\\")
                isInText = byte != UInt8(ascii: "\"")
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInText = true
                case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
                default: break
                }
                if depth > Self.maximum { return true }
            }
        }
        return false
    }
}

/// How deeply JSON from outside may be nested.
///
/// What is made of a value costs time by its depth, and of a refused one by the third power of it: a message that is nothing
/// but brackets takes seconds.
public enum JSONDepth {
    /// The most levels: no store's message and no client's body has half of them.
    public static let maximum = 32

    /// Returns whether JSON is nested more deeply than that, without reading it.
    ///
    /// - Parameter json: The JSON, which need not be well formed.
    /// - Returns: Whether it is.
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

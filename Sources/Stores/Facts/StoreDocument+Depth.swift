extension StoreDocument {
    /// How deeply a store nests what it says, and then some.
    private static let maximumDepth = 32

    /// Returns whether JSON is nested more deeply than any store's, without reading it.
    ///
    /// What is made of a value costs time by its depth, so that a message that is nothing but brackets takes seconds.
    static func isTooDeep(_ json: some Sequence<UInt8>) -> Bool {
        var depth = 0
        var isInText = false
        var isEscaped = false
        for byte in json {
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
                if depth > Self.maximumDepth { return true }
            }
        }
        return false
    }
}

/// Reads the value of an `Idempotency-Key` field.
enum IdempotencyKey {
    /// Returns the key in its quoted or unquoted form; nil if the value is neither.
    static func parse(_ value: String) -> String? {
        let key = value.utf8.first == UInt8(ascii: "\"") ? Self.quoted(value.utf8) : Array(value.utf8)
        guard let key, (1...255).contains(key.count), key.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return String(decoding: key, as: UTF8.self)
    }

    /// Removes the quotes; inside, only `\"` and `\\` are escapes (RFC 8941, 3.3.3).
    private static func quoted(_ value: String.UTF8View) -> [UInt8]? {
        var key: [UInt8] = []
        var isEscaped = false
        var rest = value.dropFirst()
        while let byte = rest.popFirst() {
            if isEscaped {
                guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { return nil }
                key.append(byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                return rest.isEmpty ? key : nil
            } else {
                key.append(byte)
            }
        }
        return nil
    }
}

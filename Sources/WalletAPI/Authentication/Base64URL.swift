import Foundation

/// Decodes base64url as RFC 7515 has it: its own alphabet only, no padding, no white space.
enum Base64URL {
    static func decode(_ text: Substring.UTF8View) -> Data? {
        guard text.count % 4 != 1 else { return nil }
        var standard = Data(capacity: text.count + 2)
        for byte in text {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                standard.append(byte)
            case UInt8(ascii: "-"): standard.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): standard.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        standard.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (4 - text.count % 4) % 4))
        return Data(base64Encoded: standard)
    }
}

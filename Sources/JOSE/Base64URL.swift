package import Foundation

extension Data {
    /// Creates bytes from base64url; returns nil for padding, white space and any other alphabet.
    package init?(base64URL text: some Collection<UInt8>) {
        guard text.count % 4 != 1 else { return nil }
        var plain: [UInt8] = []
        plain.reserveCapacity(text.count + 2)
        for byte in text {
            switch byte {
            case UInt8(ascii: "-"): plain.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): plain.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: plain.append(byte)
            }
        }
        while !plain.count.isMultiple(of: 4) {
            plain.append(UInt8(ascii: "="))
        }
        guard let bytes = Data(base64Encoded: Data(plain)) else { return nil }
        self = bytes
    }

    /// The bytes as base64url without padding.
    package var base64URL: String {
        self.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

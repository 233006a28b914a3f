import Crypto
import Foundation
import JSON

/// A submitted receipt with a valid outer form; its content is not verified yet.
struct ReceiptInput: Sendable {
    /// The receipt in plain base64, as the verification endpoint wants it.
    let base64: String
    /// SHA-256 of the receipt's bytes as lower-case hex, the same for every way to write them in base64.
    let sha256: String

    /// Checks the form of a receipt as an app sent it.
    ///
    /// Line breaks, the URL-safe alphabet and missing padding are accepted, since apps and libraries produce all three.
    /// - Parameters:
    ///   - text: The receipt as submitted.
    ///   - maximumBytes: The maximum size of the text.
    /// - Throws: ``StoreError`` with `malformedReceipt`, or `unsignedTransaction` for a JSON object, plain or in
    ///   base64.
    init(_ text: String, maximumBytes: Int) throws(StoreError) {
        guard !text.isEmpty, text.utf8.count <= maximumBytes else { throw StoreError(.malformedReceipt) }
        if Self.isJSONObject(Data(text.utf8)) { throw StoreError(.unsignedTransaction) }
        guard let bytes = Self.decode(text), !bytes.isEmpty else { throw StoreError(.malformedReceipt) }
        if Self.isJSONObject(bytes) { throw StoreError(.unsignedTransaction) }
        self.base64 = bytes.base64EncodedString()
        self.sha256 = SHA256.hash(data: bytes).map { String(format: "%02x", $0) }.joined()
    }

    /// Decodes base64 in either alphabet, with or without line breaks and padding; returns nil for other text.
    static func decode(_ text: String) -> Data? {
        var alphabet: [UInt8] = []
        alphabet.reserveCapacity(text.utf8.count + 2)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"): continue
            case UInt8(ascii: "-"): alphabet.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): alphabet.append(UInt8(ascii: "/"))
            default: alphabet.append(byte)
            }
        }
        // Foundation accepts some invalid paddings, so the padding is removed and added again.
        for _ in 0..<2 where alphabet.last == UInt8(ascii: "=") {
            alphabet.removeLast()
        }
        guard alphabet.count % 4 != 1, !alphabet.contains(UInt8(ascii: "=")) else { return nil }
        while !alphabet.count.isMultiple(of: 4) {
            alphabet.append(UInt8(ascii: "="))
        }
        return Data(base64Encoded: Data(alphabet))
    }

    /// Returns `true` if the bytes are a JSON object.
    ///
    /// An old-style receipt also begins with a brace, but is a property list.
    /// The JSON is only checked, not converted to values: any client can send this text, and converting a large
    /// structure takes seconds.
    static func isJSONObject(_ bytes: Data) -> Bool {
        let first = bytes.first { !$0.isWhitespace }
        return first == UInt8(ascii: "{") && JSONFlaw(in: bytes) == nil
    }
}

extension UInt8 {
    fileprivate var isWhitespace: Bool {
        self == UInt8(ascii: " ") || (UInt8(ascii: "\t")...UInt8(ascii: "\r")).contains(self)
    }
}

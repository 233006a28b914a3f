import Crypto
import Foundation

/// A submitted receipt whose outer form is right; nothing else is known about it yet.
struct ReceiptInput: Sendable {
    /// The receipt in plain base64, as the verification endpoint wants it.
    let base64: String
    /// SHA-256 of the receipt's bytes as lower-case hex, the same for every way to write them in base64.
    let sha256: String

    /// Checks the form of a receipt as an app sent it.
    ///
    /// Line breaks, the URL-safe alphabet and missing padding are accepted, since apps and libraries produce all three.
    /// - Parameters:
    ///   - text: the receipt as submitted.
    ///   - maximumBytes: the largest text that is looked at.
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

    /// The bytes of base64 in either alphabet, with or without line breaks and padding; nil for other text.
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
        // Foundation takes some odd paddings for data, so the padding is put on again.
        for _ in 0..<2 where alphabet.last == UInt8(ascii: "=") {
            alphabet.removeLast()
        }
        guard alphabet.count % 4 != 1, !alphabet.contains(UInt8(ascii: "=")) else { return nil }
        while !alphabet.count.isMultiple(of: 4) {
            alphabet.append(UInt8(ascii: "="))
        }
        return Data(base64Encoded: Data(alphabet))
    }

    /// An old-style receipt also begins with a brace, but is a property list: only text that parses as JSON counts.
    ///
    /// It is looked through and nothing is made of it: anybody may send this, and the values of a large structure take
    /// seconds to make.
    static func isJSONObject(_ bytes: Data) -> Bool {
        let first = bytes.first { !$0.isWhitespace }
        guard first == UInt8(ascii: "{") else { return false }
        return (try? JSONDecoder().decode(Anything.self, from: bytes)) != nil
    }

    private struct Anything: Decodable {}
}

extension UInt8 {
    fileprivate var isWhitespace: Bool {
        self == UInt8(ascii: " ") || (UInt8(ascii: "\t")...UInt8(ascii: "\r")).contains(self)
    }
}

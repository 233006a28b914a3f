import Foundation

/// Signed data in the compact form, taken apart; nothing of it is verified yet.
struct CompactJWS {
    private struct Header: Decodable {
        let alg: String?
        let x5c: [String]?
    }

    /// The header as it was sent, in base64.
    let header: String
    /// The payload's bytes.
    let payload: Data
    /// What the signature was made over: header and payload as they were sent.
    let signedBytes: Data
    /// The signature, 64 bytes if it is one.
    let signature: Data

    /// Takes signed data apart.
    /// - Parameters:
    ///   - text: the data as submitted.
    ///   - maximumBytes: the largest text that is looked at.
    /// - Throws: ``StoreError`` with `malformedSignedData`, or `unsignedTransaction` for plain JSON, or JSON in base64
    ///   that carries no signature.
    init(_ text: String, maximumBytes: Int) throws(StoreError) {
        guard !text.isEmpty, text.utf8.count <= maximumBytes else { throw StoreError(.malformedSignedData) }
        // A bundle id in plain JSON brings two dots of its own, so this comes before the parts are counted.
        if ReceiptInput.isJSONObject(Data(text.utf8)) { throw StoreError(.unsignedTransaction) }
        // Of bytes in an array: to split a text's own takes several times as long.
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw Self.refusal(ofUnsigned: parts) }
        guard
            let payload = Data(base64URL: parts[1]),
            let signature = Data(base64URL: parts[2])
        else { throw StoreError(.malformedSignedData) }
        self.header = String(decoding: parts[0], as: UTF8.self)
        self.payload = payload
        self.signature = signature
        self.signedBytes = Data(bytes[parts[0].startIndex..<parts[1].endIndex])
    }

    /// The certificates that the header names, in base64: the signer's, its issuer's and a root.
    /// - Throws: ``StoreError`` with `malformedSignedData` for a header that cannot be read, for any algorithm but ES256,
    ///   whose key the certificates hold, and for any number of certificates but three.
    func certificates() throws(StoreError) -> [String] {
        guard
            let bytes = Data(base64URL: Array(self.header.utf8)),
            let header = try? JSONDecoder().decode(Header.self, from: bytes),
            header.alg == "ES256", let certificates = header.x5c, certificates.count == 3
        else {
            throw StoreError(.malformedSignedData)
        }
        return certificates
    }

    private static func refusal(ofUnsigned parts: [ArraySlice<UInt8>]) -> StoreError {
        let isJSON =
            parts.count < 3
            && parts.contains { part in
                let decoded = ReceiptInput.decode(String(decoding: part, as: UTF8.self))
                return decoded.map(ReceiptInput.isJSONObject) ?? false
            }
        return StoreError(isJSON ? .unsignedTransaction : .malformedSignedData)
    }
}

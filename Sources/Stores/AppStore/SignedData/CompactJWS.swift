import Foundation

/// Signed data in the compact form, taken apart; nothing of it is verified yet.
struct CompactJWS {
    private struct Header: Decodable {
        let alg: String?
        let x5c: [String]?
    }

    private let header: Header
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
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw Self.refusal(ofUnsigned: parts) }
        guard
            let headerBytes = Data(base64URL: parts[0]),
            let header = try? JSONDecoder().decode(Header.self, from: headerBytes),
            let payload = Data(base64URL: parts[1]),
            let signature = Data(base64URL: parts[2])
        else { throw StoreError(.malformedSignedData) }
        self.header = header
        self.payload = payload
        self.signature = signature
        self.signedBytes = Data(text.utf8[parts[0].startIndex..<parts[1].endIndex])
    }

    /// The certificates that the header names, in base64: the signer's, its issuer's and a root.
    /// - Throws: ``StoreError`` with `malformedSignedData` for any algorithm but ES256, whose key the certificates hold,
    ///   and for any number of certificates but three.
    func certificates() throws(StoreError) -> [String] {
        guard self.header.alg == "ES256", let certificates = self.header.x5c, certificates.count == 3 else {
            throw StoreError(.malformedSignedData)
        }
        return certificates
    }

    private static func refusal(ofUnsigned parts: [Substring.UTF8View]) -> StoreError {
        let isJSON =
            parts.count < 3
            && parts.contains { part in
                let decoded = ReceiptInput.decode(String(Substring(part)))
                return decoded.map(ReceiptInput.isJSONObject) ?? false
            }
        return StoreError(isJSON ? .unsignedTransaction : .malformedSignedData)
    }
}

import Foundation

/// The parts of signed data in the compact form; the signature is not verified yet.
struct CompactJWS {
    private struct Header: Decodable {
        let alg: String?
        let x5c: [String]?
    }

    /// The header as sent, in base64.
    let header: String
    /// The payload's bytes.
    let payload: Data
    /// The bytes that the signature covers: header and payload as sent.
    let signedBytes: Data
    /// The signature; a valid one has 64 bytes.
    let signature: Data

    /// Splits signed data into its parts.
    /// - Parameters:
    ///   - text: The data as submitted.
    ///   - maximumBytes: The maximum size of the text.
    /// - Throws: ``StoreError`` with `malformedSignedData`, or `unsignedTransaction` for unsigned JSON, plain or in
    ///   base64.
    init(_ text: String, maximumBytes: Int) throws(StoreError) {
        guard !text.isEmpty, text.utf8.count <= maximumBytes else { throw StoreError(.malformedSignedData) }
        // A bundle id in plain JSON contains two dots, so this check precedes the count of the parts.
        if ReceiptInput.isJSONObject(Data(text.utf8)) { throw StoreError(.unsignedTransaction) }
        // Splitting an array of bytes is several times faster than splitting the text's UTF-8 view.
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

    /// Returns the certificates in the header, in base64: the signer's, its issuer's and a root.
    /// - Throws: ``StoreError`` with `malformedSignedData` if the header cannot be read, if the algorithm is not ES256,
    ///   or if there are not exactly three certificates.
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

/// The members of signed data that its verification needs.
protocol SignedPayload: Decodable, Sendable {
    /// The time at which the store signed the data; the certificates must have been valid then.
    var signedAt: Date? { get }
    /// The environment in the data.
    var namedEnvironment: AppStoreEnvironment? { get }
}

/// A payload that is read before its signature is verified, because the verification needs the signing time.
struct PayloadReading<Payload: SignedPayload> {
    /// The payload; nil if a member has the wrong type.
    let payload: Payload?
    let signedAt: Date?

    private struct Outline: Decodable {
        let signedDate: Date?
    }

    /// Reads a payload.
    /// - Parameter bytes: The payload's bytes.
    /// - Throws: ``StoreError`` with `malformedSignedData` if the bytes are not a JSON object.
    init(_ bytes: Data) throws(StoreError) {
        if let payload = try? JSONDecoder.appStore.decode(Payload.self, from: bytes) {
            self.payload = payload
            self.signedAt = payload.signedAt
        } else {
            guard ReceiptInput.isJSONObject(bytes) else { throw StoreError(.malformedSignedData) }
            self.payload = nil
            self.signedAt = (try? JSONDecoder.appStore.decode(Outline.self, from: bytes))?.signedDate
        }
    }
}

extension JSONDecoder {
    /// Reads instants as the App Store writes them: milliseconds since 1970, sometimes with a fraction.
    static let appStore: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let value = try decoder.singleValueContainer()
            let milliseconds = try value.decode(Double.self)
            // Instants after the year 9999 cannot be formatted.
            guard (0..<253_402_300_800_000).contains(milliseconds) else {
                throw DecodingError.dataCorruptedError(in: value, debugDescription: "no instant")
            }
            return Date(millisecondsSince1970: Int64(milliseconds.rounded()))
        }
        return decoder
    }()
}

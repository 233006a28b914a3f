import Foundation
import JOSE
import JSON

/// The App Store's signed data: ES256, with the certificates of the signer in the header.
extension CompactJWS {
    private struct CertificateHeader: Decodable {
        let alg: String?
        let x5c: [String]?
    }

    /// Splits signed data into its parts.
    /// - Parameters:
    ///   - text: The data as submitted.
    ///   - maximumBytes: The maximum size of the text.
    /// - Throws: ``StoreError`` with `malformedSignedData`, or `unsignedTransaction` for unsigned JSON, plain or in
    ///   base64.
    init(signedData text: String, maximumBytes: Int) throws(StoreError) {
        guard !text.isEmpty, text.utf8.count <= maximumBytes else { throw StoreError(.malformedSignedData) }
        // A bundle id in plain JSON contains two dots, so this check precedes the count of the parts.
        if ReceiptInput.isJSONObject(Data(text.utf8)) { throw StoreError(.unsignedTransaction) }
        guard let parts = CompactJWS(text) else { throw Self.refusal(of: text) }
        self = parts
    }

    /// Returns the certificates in the header, in base64: the signer's, its issuer's and a root.
    /// - Throws: ``StoreError`` with `malformedSignedData` if the header cannot be read, if the algorithm is not ES256,
    ///   or if there are not exactly three certificates.
    func certificates() throws(StoreError) -> [String] {
        guard
            let header = self.header(as: CertificateHeader.self),
            header.alg == SignatureAlgorithm.es256.rawValue, let certificates = header.x5c, certificates.count == 3
        else {
            throw StoreError(.malformedSignedData)
        }
        return certificates
    }

    private static func refusal(of text: String) -> StoreError {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
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
        if let payload = try? JSONDecoder.appStore.decode(Payload.self, external: bytes) {
            self.payload = payload
            self.signedAt = payload.signedAt
        } else {
            guard ReceiptInput.isJSONObject(bytes) else { throw StoreError(.malformedSignedData) }
            self.payload = nil
            self.signedAt = (try? JSONDecoder.appStore.decode(Outline.self, external: bytes))?.signedDate
        }
    }
}

extension JSONDecoder {
    /// Reads instants as the App Store writes them: milliseconds since 1970, sometimes with a fraction.
    static let appStore: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let value = try decoder.singleValueContainer()
            let milliseconds = try value.decode(Double.self).rounded()
            // Instants after the year 9999 cannot be formatted.
            guard (0..<253_402_300_800_000).contains(milliseconds) else {
                throw DecodingError.dataCorruptedError(in: value, debugDescription: "no instant")
            }
            return Date(millisecondsSince1970: Int64(milliseconds))
        }
        return decoder
    }()
}

import Foundation

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

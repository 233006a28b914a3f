import Foundation

/// What signed data says, as far as its verification needs it.
protocol SignedPayload: Decodable, Sendable {
    /// When the store signed it; the certificates must have been valid then.
    var signedAt: Date? { get }
    /// The side of the store that it names.
    var namedEnvironment: AppStoreEnvironment? { get }
}

/// A payload read before its signature is verified, for that depends on when it says that it was signed.
struct PayloadReading<Payload: SignedPayload> {
    /// The payload; nil where a member is not what it should be.
    let payload: Payload?
    let signedAt: Date?

    private struct Outline: Decodable {
        let signedDate: Date?
    }

    /// Reads a payload.
    /// - Parameter bytes: the payload's bytes.
    /// - Throws: ``StoreError`` with `malformedSignedData` for what is no JSON object.
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
            // Up to the year 9999: what is beyond cannot be written as an instant.
            guard (0..<253_402_300_800_000).contains(milliseconds) else {
                throw DecodingError.dataCorruptedError(in: value, debugDescription: "no instant")
            }
            return Date(millisecondsSince1970: Int64(milliseconds.rounded()))
        }
        return decoder
    }()
}

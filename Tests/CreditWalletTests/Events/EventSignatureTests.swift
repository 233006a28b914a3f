import Crypto
import Foundation
import TestSupport
import Testing

@testable import CreditWallet

@Suite struct EventSignatureTests {
    @Test func `the signature is that of the published example`() throws {
        // The example, with its signature, is from the Standard Webhooks specification.
        let secret = try #require(Data(base64Encoded: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let header = EventSignature.header(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            timestamp: 1_614_265_330,
            body: #"{"test": 2432232314}"#,
            secrets: [secret]
        )

        #expect(header == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func `other software computes the same signatures, one for each secret`() async throws {
        let secrets = [Data(repeating: 7, count: 24), Data(repeating: 0xFE, count: 64)]
        let body = #"{"type":"credits.granted","data":{"class_title":"Töpfern"}}"#
        let header = EventSignature.header(id: "evt_1", timestamp: 1_900_000_000, body: body, secrets: secrets)

        #expect(header.split(separator: " ").count == 2)
        for (secret, signature) in zip(secrets, header.split(separator: " ")) {
            let hex = secret.map { String(format: "%02x", $0) }.joined()
            let command = """
                printf %s 'evt_1.1900000000.\(body)' | openssl dgst -sha256 -mac HMAC -macopt hexkey:\(hex) -binary \
                | openssl base64 -A
                """
            #expect(try await ShellCommand("sh", ["-c", command]).run() == String(signature.dropFirst("v1,".count)))
            #expect(signature.hasPrefix("v1,"))
        }
    }
}

import CryptoExtras
import Foundation
import Stores
import Testing

let playPackage = "com.example.app"
let playPath = "/androidpublisher/v3/applications/com.example.app/purchases"

/// The time at which the tests receive Google Play's responses.
let playNow = Date(timeIntervalSince1970: 1_790_000_000)

/// Google Play's servers on loopback: access tokens `access-1`, `access-2` and so on, and a script for other requests.
enum GooglePlayServer {
    static let account = "wallet@example.iam.gserviceaccount.com"
    static let key = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    static func run(
        clock: ManualClock = ManualClock(),
        answering script: @escaping @Sendable (ScriptedStore.Call) -> ScriptedStore.Answer,
        check: @escaping @Sendable (ScriptedStore, GooglePlayAPI) async throws -> Void
    ) async throws {
        let pem = try self.key.get().pkcs8PEMRepresentation
        let whole: @Sendable (ScriptedStore.Call, Int) -> ScriptedStore.Answer = { call, before in
            if call.target == "/token" { return Self.token(before + 1) }
            return script(call)
        }
        try await ScriptedStore.run(answering: whole) { store, url, client in
            var configuration = GooglePlayConfiguration(
                packageName: playPackage,
                serviceAccountEmail: Self.account,
                privateKeyPEM: pem,
                tokenURL: "\(url)/token",
                baseURL: url
            )
            configuration.limits.retryDelay = .milliseconds(5)
            let api = GooglePlayAPI(
                configuration: configuration,
                httpClient: client,
                logger: .silent,
                wallClock: { playNow },
                monotonicClock: { clock.now }
            )
            try await check(store, api)
        }
    }

    /// Runs the check with one response to every request except token requests.
    static func run(
        status: Int = 200,
        body: String,
        check: @escaping @Sendable (ScriptedStore, GooglePlayAPI) async throws -> Void
    ) async throws {
        let answer = ScriptedStore.Answer(status: status, body: body)
        let script: @Sendable (ScriptedStore.Call) -> ScriptedStore.Answer = { _ in answer }
        try await self.run(answering: script, check: check)
    }

    static func token(_ number: Int) -> ScriptedStore.Answer {
        .init(body: #"{"access_token":"access-\#(number)","expires_in":3600,"token_type":"Bearer"}"#)
    }

    /// Returns Google's error response.
    static func refusal(_ status: Int, _ reason: String) -> String {
        #"{"error":{"code":\#(status),"message":"no","errors":[{"domain":"androidpublisher","reason":"\#(reason)"}]}}"#
    }

    /// Returns a push about the app with the given notification member.
    static func push(
        _ notification: String,
        package: String = playPackage,
        time: String = #""1790000000000""#
    ) throws -> Data {
        let text = #"{"version":"1.0","packageName":"\#(package)","eventTimeMillis":\#(time),\#(notification)}"#
        let encoded = Data(text.utf8).base64EncodedString()
        let body = #"{"message":{"attributes":{},"data":"\#(encoded)","messageId":"77"},"subscription":"projects/p/s"}"#
        return Data(body.utf8)
    }
}

extension JSONSerialization {
    static func text(_ object: [String: any Sendable]) throws -> String {
        String(decoding: try self.data(withJSONObject: object), as: UTF8.self)
    }
}

import Foundation
import JOSE
import JSON
import WalletClient

@testable import SandboxStores

/// Posts arbitrary bodies to the wallet's webhooks, with valid or invalid proofs.
struct WebhookSender: Sendable {
    enum Store: String, CaseIterable {
        case appStore = "app_store"
        case revenueCat = "revenuecat"
        case googlePlay = "google_play"

        var path: String {
            switch self {
            case .appStore: "/webhooks/app-store"
            case .revenueCat: "/webhooks/revenuecat"
            case .googlePlay: "/webhooks/google-play"
            }
        }
    }

    /// The claims of Google's push token, which a test may set to wrong values.
    struct Push {
        var audience = "https://dev.credit-wallet.invalid/webhooks/google-play"
        var email = "push@dev.credit-wallet.invalid"
        var isForged = false
        var at = Date()
    }

    private let web: WebClient
    private let proof: RevenueCatProof
    private let pushKey: PushKey

    init(_ wallet: LiveWallet) throws {
        self.web = wallet.http
        self.proof = RevenueCatProof(
            authorization: wallet.description.revenueCatAuthorization,
            signingSecret: try wallet.secret("revenuecat-signing-secret")
        )
        self.pushKey = try PushKey(directory: "\(wallet.directory)/stores")
    }

    /// Posts a body with the proof that its store would send; the App Store's proof is part of the body.
    func post(_ body: Data, as store: Store) async throws -> WebAnswer {
        switch store {
        case .appStore: try await self.send(body, to: store)
        case .revenueCat: try await self.send(body, to: store, headers: self.revenueCatHeaders(for: body))
        case .googlePlay: try await self.send(body, to: store, headers: [self.authorization(Push())])
        }
    }

    func send(_ body: Data, to store: Store, headers: [(String, String)] = []) async throws -> WebAnswer {
        let all = headers + [("content-type", "application/json")]
        return try await self.web.send(.post, store.path, headers: all, body: body)
    }

    /// Returns both proofs of RevenueCat, valid or as the test changes them.
    func revenueCatHeaders(
        for body: Data,
        at instant: Date = Date(),
        secret: String? = nil
    ) -> [(String, String)] {
        let proof = RevenueCatProof(
            authorization: self.proof.authorization,
            signingSecret: secret ?? self.proof.signingSecret
        )
        return proof.headers(for: body, at: instant).map { ($0.name, $0.value) }
    }

    func authorization(_ push: Push) throws -> (String, String) {
        let settings = SandboxStoresConfiguration.GooglePlay(
            packageName: "",
            serviceAccountEmail: "",
            serviceAccountPublicKey: "",
            pushAudience: push.audience,
            pushEmail: push.email
        )
        // A forger may know the right key id, but signs with another key.
        let key = push.isForged ? try PushKey(directory: nil) : self.pushKey
        return ("authorization", try PlayPush.authorization(for: settings, signedBy: key, at: push.at))
    }

    /// Returns the same payload, signed under another root with the same structure.
    static func signedUnderAnotherRoot(_ jws: String) throws -> String {
        let parts = jws.split(separator: ".")
        guard parts.count == 3, let payload = Data(base64URL: parts[1].utf8) else { throw HarnessError("no JWS") }
        let signer = try AppleSigner(authority: AppleAuthority())
        return try signer.sign(JSONDecoder().decode([String: JSON.JSONValue].self, from: payload))
    }
}

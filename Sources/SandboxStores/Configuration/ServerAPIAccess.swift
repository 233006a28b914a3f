/// The key that may call the App Store Server API, as registered in App Store Connect.
public struct ServerAPIAccess: Sendable {
    /// The issuer id in the tokens' `iss` claim.
    public var issuerID: String
    /// The key id in the tokens' `kid` header.
    public var keyID: String
    /// The P-256 public key that verifies the tokens, in PEM.
    public var publicKeyPEM: String

    /// Creates the access.
    /// - Parameters:
    ///   - issuerID: The issuer id in the tokens' `iss` claim.
    ///   - keyID: The key id in the tokens' `kid` header.
    ///   - publicKeyPEM: The P-256 public key that verifies the tokens, in PEM.
    public init(issuerID: String, keyID: String, publicKeyPEM: String) {
        self.issuerID = issuerID
        self.keyID = keyID
        self.publicKeyPEM = publicKeyPEM
    }
}

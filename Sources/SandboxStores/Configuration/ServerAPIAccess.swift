/// Who may call the App Store Server API: the key that App Store Connect would know.
public struct ServerAPIAccess: Sendable {
    /// The issuer id that tokens name as `iss`.
    public var issuerID: String
    /// The key id that tokens name as `kid`.
    public var keyID: String
    /// The P-256 public key that tokens are signed for, in PEM.
    public var publicKeyPEM: String

    /// Creates the access.
    /// - Parameters:
    ///   - issuerID: the issuer id that tokens name as `iss`.
    ///   - keyID: the key id that tokens name as `kid`.
    ///   - publicKeyPEM: the P-256 public key that tokens are signed for, in PEM.
    public init(issuerID: String, keyID: String, publicKeyPEM: String) {
        self.issuerID = issuerID
        self.keyID = keyID
        self.publicKeyPEM = publicKeyPEM
    }
}

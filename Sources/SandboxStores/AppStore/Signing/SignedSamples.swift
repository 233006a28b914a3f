public import Foundation

/// Signs any number of App Store messages for measurements, under a root of its own.
///
/// Each is about a first purchase of one consumable by a user of its own, whose id is the account token as well. Nothing
/// of it is recorded: the faces of the stores know none of these purchases.
public struct SignedSamples: Sendable {
    /// The root certificate above all of them, DER.
    public let rootCertificate: Data
    private let writer: AppStoreWriter
    private let productID: String
    private let bundleID: String
    private let series: Int

    /// Makes a signing authority for samples.
    /// - Parameters:
    ///   - productID: the consumable as the store names it.
    ///   - bundleID: the app.
    ///   - series: sets the ids of these samples apart from those of other series, 0 to 999 999.
    /// - Throws: when no certificate can be made.
    public init(productID: String, bundleID: String, series: Int) throws {
        let authority = try AppleAuthority()
        self.rootCertificate = authority.root
        self.writer = AppStoreWriter(signer: try AppleSigner(authority: authority), appAppleID: 1_234_567_890)
        self.productID = productID
        self.bundleID = bundleID
        self.series = series
    }

    /// Tells the user of a sample.
    /// - Parameter number: which sample.
    /// - Returns: a UUID, which is the user's id and account token alike.
    public func user(_ number: Int) -> String {
        String(format: "%08d-0000-4000-8000-%012d", self.series, number)
    }

    /// Signs the transaction of a sample.
    /// - Parameters:
    ///   - number: which sample.
    ///   - now: when it is bought and signed.
    /// - Returns: the compact JWS.
    /// - Throws: when the key refuses.
    public func transaction(_ number: Int, at now: Date) throws -> String {
        try self.writer.signedTransaction(self.sale(number, at: now), at: now)
    }

    /// Signs what the store posts of a sample: that it was bought, with its transaction inside.
    /// - Parameters:
    ///   - number: which sample.
    ///   - now: when it is bought and signed.
    /// - Returns: the bodies of the notifications, each a JSON object with `signedPayload`.
    /// - Throws: when the key refuses.
    public func notifications(_ number: Int, at now: Date) throws -> [Data] {
        let happening = SandboxHappening(
            kind: .purchased,
            transaction: self.sale(number, at: now),
            previous: nil,
            chain: nil,
            at: now,
            state: SandboxState()
        )
        return try self.writer.notifications.write(happening).map(\.body)
    }

    private func sale(_ number: Int, at now: Date) -> SandboxTransaction {
        let id = String(format: "2%06d%09d", self.series, number)
        return SandboxTransaction(
            id: id,
            originalID: id,
            userID: self.user(number),
            productID: self.productID,
            kind: .consumable,
            quantity: 1,
            environment: .production,
            bundleID: self.bundleID,
            purchasedAt: now,
            originalPurchasedAt: now,
            isTrial: false,
            isFamilyShared: false,
            appAccountToken: self.user(number),
            isFinished: false,
            priceMilliunits: 49_000,
            currency: "USD"
        )
    }
}

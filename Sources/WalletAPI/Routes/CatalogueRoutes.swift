import Foundation
import Hummingbird
import Stores
import Wallet

/// Returns the packs, passes and plans on sale; no token is required.
///
/// - `GET /packs` (public)
/// - `GET /plans` (public)
struct CatalogueRoutes {
    private enum Kind {
        case packs, plans
    }

    private let answers: SharedAnswers<Kind>

    init(wallet: Wallet) {
        self.answers = SharedAnswers(wallet: wallet)
    }

    func add(to group: some RouterMethods<AppRequestContext>) {
        group.get("packs", use: self.packs)
        group.get("plans", use: self.plans)
    }

    @Sendable
    private func packs(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        try await self.answers.response(.packs, to: request) { ["packs": try await $0.packs()] }
    }

    @Sendable
    private func plans(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        try await self.answers.response(.plans, to: request) { ["plans": try await $0.plans()] }
    }
}

/// Returns the products on sale as offerings, and signs promotional offers.
///
/// - `GET /offers` (user)
/// - `POST /offers/signature` (user)
struct OfferRoutes {
    let wallet: Wallet
    let stores: StoreClients

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.get("offers", use: self.offers)
        group.post("offers/signature", use: self.sign)
    }

    @Sendable
    private func offers(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<OfferingsAnswer> {
        let packs = try await self.wallet.packs()
        return JSONAnswer(
            OfferingsAnswer(
                packs: packs.filter { $0.kind == "pack" },
                passes: packs.filter { $0.kind == "pass" },
                plans: try await self.wallet.plans(),
                promotions: try await self.wallet.promotionalOffers()
            )
        )
    }

    @Sendable
    private func sign(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<SignatureAnswer> {
        guard let signer = self.stores.offers, let bundleID = self.stores.offerBundleID else {
            throw Problem.malformed("Promotional offers are not enabled on this service.")
        }
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let wanted = try await request.json(WantedOffer.self)
        switch try await self.wallet.offerRefusal(
            wanted.offerID,
            of: wanted.productID,
            for: context.user,
            in: environment
        ) {
        case nil: break
        case "offer-not-found": throw Problem.notFound("offer-not-found", "There is no such offer.")
        default: throw Problem(.forbidden, "not-eligible", "The offer is only for current or former subscribers.")
        }
        let own = try await self.wallet.balance(of: context.user, in: environment).appAccountToken
        // Some libraries send an all-zero token instead of none; it is signed as received, because the app sends the
        // same.
        guard [nil, StoreFact.absentAccountToken, own].contains(wanted.appAccountToken) else {
            throw Problem(.forbidden, "account-token-mismatch", "The account token belongs to another account.")
        }
        let now = try await self.wallet.now()
        return JSONAnswer(
            SignatureAnswer(
                try signer.signature(
                    bundleID: bundleID,
                    productID: try await self.storeID(of: wanted.productID),
                    offerID: wanted.offerID,
                    appAccountToken: wanted.appAccountToken,
                    nonce: UUID(),
                    timestamp: Int64((now.timeIntervalSince1970 * 1_000).rounded())
                )
            ),
            headers: [.cacheControl: "no-store"]
        )
    }

    private func storeID(of productID: String) async throws -> String {
        let plan = try await self.wallet.plans().first { $0.productID == productID }
        return plan?.storeIDs.appStore ?? productID
    }

    private struct WantedOffer: Decodable {
        let productID: String
        let offerID: String
        let appAccountToken: UUID?

        private enum CodingKeys: String, CodingKey {
            case productID = "product_id"
            case offerID = "offer_id"
            case appAccountToken = "app_account_token"
        }
    }
}

/// Packs, passes and plans, grouped for display in an app.
private struct OfferingsAnswer: Encodable, Sendable {
    /// A group of products on sale.
    struct Offering: Encodable, Sendable {
        let offeringID: String
        let packages: [Package]

        enum CodingKeys: String, CodingKey {
            case offeringID = "offering_id"
            case packages
        }
    }

    /// A product on sale, with the promotional offers for eligible users.
    struct Package: Encodable, Sendable {
        let packageID: String
        @Nullable var pack: Pack?
        @Nullable var plan: Plan?
        let promotionalOffers: [PromotionalOffer]

        enum CodingKeys: String, CodingKey {
            case packageID = "package_id"
            case pack, plan
            case promotionalOffers = "promotional_offers"
        }
    }

    let offerings: [Offering]

    init(packs: [Pack], passes: [Pack], plans: [Plan], promotions: [PromotionalOffer]) {
        let offers = Dictionary(grouping: promotions, by: \.productID)
        self.offerings = [
            Offering(offeringID: "packs", packages: packs.map(Package.init)),
            Offering(offeringID: "passes", packages: passes.map(Package.init)),
            Offering(
                offeringID: "plans",
                packages: plans.map { plan in
                    Package(
                        packageID: plan.productID,
                        pack: nil,
                        plan: plan,
                        promotionalOffers: offers[plan.productID] ?? []
                    )
                }
            ),
        ]
    }
}

extension OfferingsAnswer.Package {
    init(_ pack: Pack) {
        self.init(packageID: pack.productID, pack: pack, plan: nil, promotionalOffers: [])
    }
}

/// A signature that the app passes to StoreKit with the purchase.
private struct SignatureAnswer: Encodable, Sendable {
    let keyID: String
    @WireUUID var nonce: UUID
    let timestamp: Int64
    let signature: String

    enum CodingKeys: String, CodingKey {
        case keyID = "key_id"
        case nonce, timestamp, signature
    }

    init(_ signature: PromotionalOfferSignature) {
        self.keyID = signature.keyID
        self._nonce = WireUUID(wrappedValue: signature.nonce)
        self.timestamp = signature.timestamp
        self.signature = signature.signature
    }
}

import Wallet

/// Packs, passes and plans, grouped for display in an app.
struct OfferingsAnswer: Encodable, Sendable {
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

/// A group of products on sale.
public struct Offering: Codable, Sendable, Hashable, Identifiable {
    /// One product on sale: a pack or pass, or a plan.
    public struct Package: Codable, Sendable, Hashable, Identifiable {
        /// The catalogue's product id.
        public var packageID: String
        /// The pack or pass; nil for a plan.
        public var pack: Pack?
        /// The plan; nil for a pack or pass.
        public var plan: Plan?
        /// The plan's promotional offers; users see them depending on their eligibility.
        public var promotionalOffers: [PromotionalOffer]

        /// The identity in a list, ``packageID``.
        public var id: String { self.packageID }

        /// Creates a value with the given properties, for previews and tests.
        public init(
            packageID: String,
            pack: Pack? = nil,
            plan: Plan? = nil,
            promotionalOffers: [PromotionalOffer] = []
        ) {
            self.packageID = packageID
            self.pack = pack
            self.plan = plan
            self.promotionalOffers = promotionalOffers
        }

        private enum CodingKeys: String, CodingKey {
            case packageID = "package_id"
            case pack
            case plan
            case promotionalOffers = "promotional_offers"
        }
    }

    /// `packs`, `passes` or `plans`.
    public var offeringID: String
    /// The products of the group, in display order.
    public var packages: [Package]

    /// The identity in a list, ``offeringID``.
    public var id: String { self.offeringID }

    /// Creates a value with the given properties, for previews and tests.
    public init(
        offeringID: String,
        packages: [Package] = []
    ) {
        self.offeringID = offeringID
        self.packages = packages
    }

    private enum CodingKeys: String, CodingKey {
        case offeringID = "offering_id"
        case packages
    }
}

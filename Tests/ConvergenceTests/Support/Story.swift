import Stores
import Testing

/// A history of a purchase, with its expected ending written by hand.
struct Story: Sendable, CustomTestStringConvertible {
    let name: String
    let store: StoreName
    var sourceSets: [SourceSet]
    /// The expected ending for all sources, with one line for each wallet, ledger, open lot and subscription.
    let ending: [String]
    /// The expected endings for sources that do not report all the facts, or report them differently.
    var otherEndings: [SourceSet: [String]] = [:]
    let life: @Sendable (Shop) async throws -> Void

    var testDescription: String { self.name }

    func ending(_ sources: SourceSet) -> [String] {
        (self.otherEndings[sources] ?? self.ending).sorted()
    }

    static func appStore(
        _ name: String,
        by sourceSets: [SourceSet] = SourceSet.ofAppStore,
        endsWith ending: [String],
        except otherEndings: [SourceSet: [String]] = [:],
        life: @escaping @Sendable (Shop) async throws -> Void
    ) -> Story {
        Story(
            name: name,
            store: .appStore,
            sourceSets: sourceSets,
            ending: ending,
            otherEndings: otherEndings,
            life: life
        )
    }

    static func googlePlay(
        _ name: String,
        by sourceSets: [SourceSet] = SourceSet.ofGooglePlay,
        endsWith ending: [String],
        except otherEndings: [SourceSet: [String]] = [:],
        life: @escaping @Sendable (Shop) async throws -> Void
    ) -> Story {
        Story(
            name: "Google Play: \(name)",
            store: .playStore,
            sourceSets: sourceSets,
            ending: ending,
            otherEndings: otherEndings,
            life: life
        )
    }
}

/// A combination of sources that report a story; in each of them the app also submits its purchases.
enum SourceSet: String, Sendable, CaseIterable {
    case appStore = "the App Store"
    /// The app sets no account token, so only the app's own submission identifies the owner.
    case appStoreWithoutToken = "the App Store, which names nobody"
    case googlePlay = "Google Play"
    case revenueCat = "RevenueCat"
    case appStoreAndRevenueCat = "the App Store and RevenueCat"
    case googlePlayAndRevenueCat = "Google Play and RevenueCat"
    /// No webhook arrives.
    case reconciliation = "the app, and a reconciliation"
    /// The app never submits its purchases.
    case revenueCatAndReconciliation = "RevenueCat, and a reconciliation"
    /// The app also submits every purchase again at the end.
    case everybody = "everybody, and the app at the end"

    static let ofAppStore: [SourceSet] = [
        .appStore, .appStoreWithoutToken, .revenueCat, .appStoreAndRevenueCat, .everybody,
    ]
    static let ofGooglePlay: [SourceSet] = [.googlePlay, .revenueCat, .googlePlayAndRevenueCat, .everybody]
    /// The source sets of stories that include a reconciliation.
    static let reconciled: [SourceSet] = [.reconciliation, .revenueCatAndReconciliation]

    var namesOwner: Bool { self != .appStoreWithoutToken }

    var members: Set<Report.Source> {
        switch self {
        case .appStore, .appStoreWithoutToken: [.appStore, .app]
        case .googlePlay: [.googlePlay, .app]
        case .revenueCat: [.revenueCat, .app]
        case .appStoreAndRevenueCat: [.appStore, .revenueCat, .app]
        case .googlePlayAndRevenueCat: [.googlePlay, .revenueCat, .app]
        case .reconciliation: [.app, .reconciliation]
        case .revenueCatAndReconciliation: [.revenueCat, .reconciliation]
        case .everybody: [.appStore, .googlePlay, .revenueCat, .app, .look, .reconciliation]
        }
    }
}

/// A product of the test catalogue.
enum Product: String, CaseIterable, Sendable {
    /// 25 credits.
    case starter = "credits.starter"
    /// 50 credits.
    case explorerPack = "credits.explorer"
    /// 200 credits.
    case power = "credits.power"
    /// 4 visits a month, tier 1.
    case explorer = "subscription.explorer"
    /// 10 visits a month, half of the unused visits roll over, tier 2.
    case enthusiast = "subscription.enthusiast"
    /// No visits, tier 3.
    case unlimited = "subscription.unlimited"
    /// 125 visits a year, half of the unused visits roll over, tier 2.
    case year = "subscription.year"

    static let prefix = "com.hobbyist.bookingapp."

    init?(id: String) {
        self.init(rawValue: String(id.dropFirst(Self.prefix.count)))
    }

    var id: String { Self.prefix + self.rawValue }
}

/// A user who buys products.
enum User: String, CaseIterable, Sendable {
    case ann
    case bob

    /// The user's id, a UUID, so that it is also the account token.
    var id: String {
        switch self {
        case .ann: "a0000000-0000-4000-8000-000000000001"
        case .bob: "b0000000-0000-4000-8000-000000000002"
        }
    }
}

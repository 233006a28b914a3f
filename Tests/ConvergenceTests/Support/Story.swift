import Stores
import Testing

/// A life of a purchase, and how it ends, stated by hand.
struct Story: Sendable, CustomTestStringConvertible {
    let name: String
    let store: StoreName
    var sourceSets: [SourceSet]
    /// What everybody must end with, a line each wallet, ledger, open lot and subscription.
    let ending: [String]
    /// Endings of sources that do not know, or do not say, the same.
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

/// Which sources report a story; the app hands in what it bought in all of them.
enum SourceSet: String, Sendable, CaseIterable {
    case appStore = "the App Store"
    /// The app sets no account token, so only what it hands in names the owner.
    case appStoreWithoutToken = "the App Store, which names nobody"
    case googlePlay = "Google Play"
    case revenueCat = "RevenueCat"
    case appStoreAndRevenueCat = "the App Store and RevenueCat"
    case googlePlayAndRevenueCat = "Google Play and RevenueCat"
    /// The app also hands in everything at the end.
    case everybody = "everybody, and the app at the end"

    static let ofAppStore: [SourceSet] = [
        .appStore, .appStoreWithoutToken, .revenueCat, .appStoreAndRevenueCat, .everybody,
    ]
    static let ofGooglePlay: [SourceSet] = [.googlePlay, .revenueCat, .googlePlayAndRevenueCat, .everybody]

    var namesOwner: Bool { self != .appStoreWithoutToken }

    var members: Set<Report.Source> {
        switch self {
        case .appStore, .appStoreWithoutToken: [.appStore, .app]
        case .googlePlay: [.googlePlay, .app]
        case .revenueCat: [.revenueCat, .app]
        case .appStoreAndRevenueCat: [.appStore, .revenueCat, .app]
        case .googlePlayAndRevenueCat: [.googlePlay, .revenueCat, .app]
        case .everybody: [.appStore, .googlePlay, .revenueCat, .app, .look]
        }
    }
}

/// What is sold.
enum Product: String, CaseIterable, Sendable {
    /// 25 credits.
    case starter = "credits.starter"
    /// 50 credits.
    case explorerPack = "credits.explorer"
    /// 200 credits.
    case power = "credits.power"
    /// 4 visits a month, tier 1.
    case explorer = "subscription.explorer"
    /// 10 visits a month, half of what is left rolls over, tier 2.
    case enthusiast = "subscription.enthusiast"
    /// No visits, tier 3.
    case unlimited = "subscription.unlimited"
    /// 125 visits a year, half of what is left rolls over, tier 2.
    case year = "subscription.year"

    static let prefix = "com.hobbyist.bookingapp."

    init?(id: String) {
        self.init(rawValue: String(id.dropFirst(Self.prefix.count)))
    }

    var id: String { Self.prefix + self.rawValue }
}

/// Who buys it.
enum User: String, CaseIterable, Sendable {
    case ann
    case bob

    /// A UUID, so that it is the account token too.
    var id: String {
        switch self {
        case .ann: "a0000000-0000-4000-8000-000000000001"
        case .bob: "b0000000-0000-4000-8000-000000000002"
        }
    }
}

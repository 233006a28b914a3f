import Foundation
import Stores

/// One report that the wallet receives, or one booking that it makes, in a story.
struct Report: Sendable {
    /// The sender of a report.
    enum Source: String, Sendable {
        case appStore = "app_store"
        case revenueCat = "revenuecat"
        case googlePlay = "google_play"
        /// The app, immediately after a purchase.
        case app
        /// The app, again at the end of the story.
        case look
        /// A reconciliation, which requests the purchases from the stores.
        case reconciliation
    }

    /// The facts that the app submits for a user.
    struct HandedIn: Encodable, Sendable {
        let user: String
        var facts: [StoreFact]
    }

    struct Booking: Encodable, Sendable {
        let user: String
        let credits: Int
    }

    enum Content: Sendable {
        case event(StoreEvent)
        case hand(HandedIn)
        case compare([StoreEvent.AttributedFact])
        case book(Booking)
    }

    var source: Source
    var label: String
    /// The phase of the report.
    ///
    /// Reports of one phase may arrive in any order; a repetition may arrive later.
    var phase: Int
    var at: Date
    var content: Content
    /// The body of the notification as the store posted it.
    var body = ""

    var isBooking: Bool {
        if case .book = self.content { true } else { false }
    }

    /// The report without account tokens, as if the app set none.
    var withoutToken: Report {
        var report = self
        switch self.content {
        case .event(var event):
            for index in event.statements.indices { event.statements[index].fact.appAccountToken = nil }
            report.content = .event(event)
        case .hand(var handedIn):
            for index in handedIn.facts.indices { handedIn.facts[index].appAccountToken = nil }
            report.content = .hand(handedIn)
        case .compare(var statements):
            for index in statements.indices { statements[index].fact.appAccountToken = nil }
            report.content = .compare(statements)
        case .book: break
        }
        return report
    }
}

extension Report: Encodable {
    private enum CodingKeys: CodingKey {
        case at, event, hand, compare, book
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        let instant = Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(self.at)
        try members.encode(instant, forKey: .at)
        switch self.content {
        case .event(let event): try members.encode(event, forKey: .event)
        case .hand(let handedIn): try members.encode(handedIn, forKey: .hand)
        case .compare(let statements): try members.encode(statements, forKey: .compare)
        case .book(let booking): try members.encode(booking, forKey: .book)
        }
    }
}

/// A story together with its reports and its start and end.
struct ReportedStory: Sendable {
    let reports: [Report]
    let start: Date
    let end: Date
    /// The purchase tokens that the story itself acknowledged at Google Play.
    let acknowledged: Set<String>

    /// Returns the reports of the given sources, in the order in which they happened.
    func reports(of sources: SourceSet) -> [Report] {
        let reports = self.reports.filter { sources.members.contains($0.source) }
        return sources.namesOwner ? reports : reports.map(\.withoutToken)
    }
}

import Wallet

/// The frame around each page of the console.
struct PageFrame: Sendable {
    let title: String
    let content: String
    let navigation: [Link]
    /// The text in the search box.
    let searched: String
    let owner: String
    let right: String
    let formToken: String
    let isSignedIn: Bool

    private static let sections = [
        ("", "Overview"), ("list/classes", "Classes"), ("list/all-bookings", "Bookings"),
        ("list/products", "Catalogue"), ("list/claims", "Purchases"), ("list/all-subscriptions", "Subscriptions"),
        ("list/refunds", "Refunds"), ("list/flags", "Flags"), ("list/messages", "Inbox"), ("list/events", "Events"),
        ("reports", "Reports"), ("health", "Health"), ("list/audit", "Audit"),
    ]

    /// Creates the frame of a page for a signed-in operator.
    init(_ title: String, _ content: String, at path: String, searched: String = "", _ visit: Visit) {
        self.title = title
        self.content = content
        self.navigation = Self.sections.map { place, label in
            Link(label: label, address: WebAddress.page(place), isCurrent: place == path)
        }
        self.searched = searched
        self.owner = visit.session.owner.name
        self.right = visit.session.owner.right.rawValue
        self.formToken = visit.formToken
        self.isSignedIn = true
    }

    /// Creates the frame of a page without a session.
    init(_ title: String, _ content: String) {
        self.title = title
        self.content = content
        self.navigation = []
        self.searched = ""
        self.owner = ""
        self.right = ""
        self.formToken = ""
        self.isSignedIn = false
    }
}

import Mustache
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
    /// A Boolean value that indicates whether the search box has the focus when the page opens.
    let isSearchFirst: Bool
    /// The name of the studio's time zone.
    let zone: String

    private static let sections = [
        ("", "Today"), ("list/users", "Users"), ("list/classes", "Classes"), ("list/bookings", "Bookings"),
        ("list/products", "Catalogue"), ("list/claims", "Purchases"), ("list/subscriptions", "Subscriptions"),
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
        self.isSearchFirst = path.isEmpty && searched.isEmpty
        self.zone = visit.zone.name
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
        self.isSearchFirst = false
        self.zone = ""
    }
}

/// The console's templates, parsed once.
struct ConsoleTemplates: Sendable {
    private let library: MustacheLibrary

    init() {
        let templates = EmbeddedConsole.files.filter { $0.path.hasSuffix(".mustache") }.map { path, contents in
            do {
                return (String(path.dropLast(".mustache".count)), try MustacheTemplate(string: contents))
            } catch {
                preconditionFailure("The template \(path) cannot be read: \(error)")
            }
        }
        self.library = MustacheLibrary(templates: Dictionary(uniqueKeysWithValues: templates))
    }

    /// Renders a template; values are escaped unless the template disables it.
    func draw(_ template: String, _ value: Any) -> String {
        guard let text = self.library.render(value, withTemplate: template) else {
            preconditionFailure("The template \(template) is missing from Console/Pages.")
        }
        return text
    }
}

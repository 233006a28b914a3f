/// A link as a template shows it.
struct Link: Sendable {
    let label: String
    let address: String
    var isCurrent = false
}

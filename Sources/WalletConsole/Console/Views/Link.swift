/// A link, as its template renders it.
struct Link: Sendable {
    let label: String
    let address: String
    var isCurrent = false
}

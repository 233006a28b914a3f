import Foundation

/// The fields of a form sent as `application/x-www-form-urlencoded`; if a field is sent twice, the first value is used.
struct FormText {
    let values: [String: String]

    init(_ text: String) {
        let pairs = text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(Self.plain)
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
        self.values = Dictionary(pairs) { first, _ in first }
    }

    private static func plain(_ text: Substring) -> String {
        text.replacing("+", with: " ").removingPercentEncoding ?? ""
    }
}

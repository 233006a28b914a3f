import Foundation

/// The fields of a form that was sent as `application/x-www-form-urlencoded`; of those sent twice, the first counts.
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

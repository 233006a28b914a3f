import JSON
import Yams

/// The meaning of a problem type, and how to resolve it.
struct ProblemGuide {
    /// Indicates whether and when the client may send the same request again.
    enum Repeat: String {
        case later, changed, never

        var sentence: String {
            switch self {
            case .later:
                "Yes: send the same request again, with the same Idempotency-Key, after Retry-After or a pause."
            case .changed: "Only after a change: first correct the request, or the state that it depends on."
            case .never: "No: the same request will be refused again."
            }
        }
    }

    let slug: String
    let title: String
    let status: Int
    let repetition: String
    let advice: String
    let cause: String
    let fix: String

    /// Parses the guide to all problems.
    ///
    /// - Parameters:
    ///   - yaml: `status`, `repeat`, `cause` and `fix` for each slug.
    ///   - titles: The problems' titles by slug.
    /// - Returns: The problems, sorted by slug.
    /// - Throws: ``ReferenceError`` with the problem whose guide is missing or incomplete.
    static func all(_ yaml: String, titles: [String: String]) throws -> [ProblemGuide] {
        let written = Dictionary(
            uniqueKeysWithValues: (try Yams.compose(yaml: yaml)?.members ?? []).map { ($0.key, $0.value) }
        )
        let unmatched = Set(written.keys).symmetricDifference(titles.keys)
        guard unmatched.isEmpty else {
            throw ReferenceError("Each problem needs one guide, and each guide one problem: \(unmatched.sorted()).")
        }
        return try titles.sorted { $0.key < $1.key }.map { slug, title in
            guard let node = written[slug], let status = node["status"]?.int, let cause = node["cause"]?.string,
                let fix = node["fix"]?.string, let repetition = node["repeat"]?.string.flatMap(Repeat.init)
            else { throw ReferenceError("The guide of the problem \(slug) is incomplete.") }
            return ProblemGuide(
                slug: slug,
                title: title,
                status: status,
                repetition: repetition.rawValue,
                advice: repetition.sentence,
                cause: cause,
                fix: fix
            )
        }
    }

    /// The guide as JSON.
    var json: String {
        let members = [
            ("slug", self.slug), ("title", self.title), ("cause", self.cause), ("fix", self.fix),
            ("repeat", self.repetition),
        ]
        let lines =
            members.map { "  \($0.0.jsonQuoted): \($0.1.jsonQuoted)" } + ["  \"status\": \(self.status)"]
        return "{\n\(lines.joined(separator: ",\n"))\n}\n"
    }
}

import JSON
import Wallet

/// The page of a problem type in the reference.
struct ProblemGuide {
    let slug: String
    let title: String
    let status: Int
    let repetition: String
    let advice: String
    let cause: String
    let fix: String

    /// The guides to all problem types, sorted by slug.
    static var all: [ProblemGuide] {
        ProblemType.all.values.sorted { $0.slug < $1.slug }.map(ProblemGuide.init)
    }

    init(_ type: ProblemType) {
        self.slug = type.slug
        self.title = type.title
        self.status = type.status
        self.repetition = type.repetition.rawValue
        self.advice =
            switch type.repetition {
            case .later:
                "Yes: send the same request again, with the same Idempotency-Key, after Retry-After or a pause."
            case .changed: "Only after a change: first correct the request, or the state that it depends on."
            case .never: "No: the same request will be refused again."
            }
        self.cause = type.cause
        self.fix = type.fix
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

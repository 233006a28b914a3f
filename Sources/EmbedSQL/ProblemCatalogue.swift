import Foundation

/// The catalogue of refusals and failures, `problems.yaml`.
///
/// Each line has a slug and its members as a JSON object, which is also YAML; the lines are sorted by slug. Empty lines
/// and comments are ignored.
struct ProblemCatalogue {
    private struct ProblemType: Decodable {
        enum Repetition: String, Decodable { case later, changed, never }

        let status: Int
        let title: String
        let `repeat`: Repetition
        let cause: String
        let fix: String
    }

    private static let members: Set = ["status", "title", "repeat", "cause", "fix"]

    /// The problem types of the HTTP interface; the other refusals have only the member `admin`.
    private var types: [(slug: String, type: ProblemType)] = []

    /// Reads a catalogue.
    ///
    /// - Parameters:
    ///   - text: The text of the catalogue.
    ///   - path: The path of its file, for errors.
    /// - Throws: ``EmbedError`` with the first invalid line.
    init(_ text: String, path: String) throws {
        var last: Substring = ""
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        where !line.isEmpty && !line.hasPrefix("#") {
            func invalid(_ reason: String) -> EmbedError { .problem(path: path, line: index + 1, reason: reason) }

            guard let (_, slug, members) = line.wholeMatch(of: /([a-z-]+): (\{.+\})/)?.output else {
                throw invalid("a slug and a JSON object are required")
            }
            guard slug > last else { throw invalid("\(slug) follows \(last); the slugs must be sorted and unique") }
            last = slug
            let json = Data(members.utf8)
            guard let object = try? JSONSerialization.jsonObject(with: json) as? [String: Any] else {
                throw invalid("the members of \(slug) are not JSON")
            }
            if Set(object.keys) == ["admin"] { continue }
            guard Set(object.keys).subtracting(["admin"]) == Self.members else {
                throw invalid("the members must be \(Self.members.sorted().joined(separator: ", ")), or only admin")
            }
            guard let type = try? JSONDecoder().decode(ProblemType.self, from: json) else {
                throw invalid("status must be a number, repeat must be later, changed or never, and the rest texts")
            }
            self.types.append((String(slug), type))
        }
    }

    /// The source of an enumeration that holds the problem types.
    var source: String {
        let entries = self.types.map { slug, type in
            "ProblemType(slug: \(Self.literal(slug)), status: \(type.status), title: \(Self.literal(type.title)), "
                + "repetition: .\(type.repeat), cause: \(Self.literal(type.cause)), fix: \(Self.literal(type.fix)))"
        }
        return """
            enum EmbeddedProblems {
                static let types: [ProblemType] = [
            \(entries.map { "\($0),\n" }.joined())]
            }

            """
    }

    private static func literal(_ text: String) -> String { StringLiteral(line: text).source }
}

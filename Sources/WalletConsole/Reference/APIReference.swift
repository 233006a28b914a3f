import HTTPTypes
public import Hummingbird
import JSON
import Mustache
import Synchronization

/// The API reference, rendered from `openapi.yaml` at the first request.
///
/// - `GET /docs` and `GET /docs/{page}` (public): the pages, one for each tag, their Markdown (`.md`), style, script
///   and index; `/docs/guarantees` is the guide with this name
/// - `GET /problems/{slug}` (public): the description of a problem, as HTML, JSON or Markdown depending on `Accept`
/// - `GET /guides/{name}` (public): a guide, as HTML or Markdown depending on `Accept`
/// - `GET /openapi.json`, `GET /llms.txt`, `GET /favicon.ico` (public)
/// - `GET /` (public): redirects to `/docs`, except in `dev`
public final class APIReference: Sendable {
    private static let formats = [("text/html", "html"), ("json", "json")]

    private let openAPI: String
    private let tryIt: Bool
    private let drawing = Mutex<Task<StaticFiles, any Error>?>(nil)

    /// Creates the reference; its pages are rendered later.
    ///
    /// - Parameters:
    ///   - openAPI: The text of `openapi.yaml`.
    ///   - tryIt: A Boolean value that indicates whether the page can call operations with the demo's tokens; only for
    ///     `dev`.
    public init(openAPI: String, tryIt: Bool = false) {
        self.openAPI = openAPI
        self.tryIt = tryIt
    }

    /// Adds the pages to a router.
    ///
    /// - Parameter group: The router.
    public func add(to group: some RouterMethods<some RequestContext>) {
        // In `dev`, the demo page uses this path.
        if !self.tryIt {
            group.get("/") { _, _ in Response(status: .seeOther, headers: [.location: "/docs"]) }
        }
        group.get("favicon.ico") { request, _ in try await self.file("docs/icon.svg", request) }
        group.get("docs") { request, _ in try await self.file("docs.html", request) }
        group.get("docs/:page") { request, context in
            let page = try context.parameters.require("page")
            return try await self.file(page.contains(".") ? "docs/\(page)" : "docs/\(page).html", request)
        }
        group.get("problems/:slug") { request, context in
            let slug = try context.parameters.require("slug")
            let format = Self.format(request.headers[.accept] ?? "")
            var response = try await self.file("problems/\(slug).\(format)", request)
            response.headers[.vary] = "Accept"
            return response
        }
        group.get("guides/:name") { request, context in
            let name = try context.parameters.require("name")
            let isPage = Self.format(request.headers[.accept] ?? "") == "html"
            var response = try await self.file("guides/\(name)\(isPage ? ".html" : "")", request)
            response.headers[.vary] = "Accept"
            return response
        }
        for name in ["openapi.json", "llms.txt"] {
            group.get(RouterPath(name)) { request, _ in try await self.file(name, request) }
        }
    }

    /// Returns the format for an `Accept` value: HTML for browsers, JSON for programs, and Markdown for clients without
    /// a preference.
    private static func format(_ accept: String) -> String {
        self.formats.first { accept.contains($0.0) }?.1 ?? "md"
    }

    private func file(_ name: String, _ request: Request) async throws -> Response {
        let drawing = self.drawing.withLock { drawing in
            let task = drawing ?? Task { StaticFiles(try self.drawn()) }
            drawing = task
            return task
        }
        let files = try await drawing.value
        guard files.has(name) else { throw HTTPError(.notFound) }
        return files.response(name, to: request)
    }

    /// Renders all pages.
    ///
    /// - Returns: The files by their paths.
    /// - Throws: An error for an invalid document or template.
    func drawn() throws -> [(path: String, contents: String)] {
        let sources = EmbeddedReference.files
        let pages = try ReferencePages(
            document: OpenAPIDocument(self.openAPI),
            problems: ProblemGuide.all,
            sources: sources,
            guides: EmbeddedGuides.files,
            tryIt: self.tryIt
        )
        let assets = sources.filter { $0.path.hasSuffix(".css") || $0.path.hasSuffix(".js") }
        return pages.files() + (assets + StaticFiles.icon).map { ("docs/\($0.path)", $0.contents) }
    }
}

/// Renders all pages of the reference, once, at the first request.
struct ReferencePages {
    /// A tag with its operations.
    struct Section {
        let name: String
        let description: String
        let operations: [Operation]
        let isCurrent: Bool
    }

    /// The frame around each page.
    private struct Frame {
        let title: String
        let content: String
        let sections: [Section]
        let guides: [Guide]
        let isHome: Bool
        let isProblems: Bool
        let tryIt: Bool
    }

    private struct Home {
        let title: String
        let summary: String
        let description: String
        let text: String
        let schemes: [(name: String, description: String)]
        let sections: [Section]
        let guides: [Guide]
        let tryIt: Bool
    }

    private struct Guide {
        let name: String
        let title: String
        var isCurrent = false
    }

    private struct SectionPage {
        let section: Section
        let tryIt: Bool
    }

    private let library: MustacheLibrary
    private let document: OpenAPIDocument
    private let problems: [ProblemGuide]
    private let markdown: Markdown
    private let sections: [Section]
    private let guides: [(path: String, contents: String)]
    private let tryIt: Bool

    /// Creates the data for the pages.
    ///
    /// - Parameters:
    ///   - document: The description of the API.
    ///   - problems: The guide to the API's problems.
    ///   - sources: The templates and other files by name.
    ///   - guides: The Markdown files by name.
    ///   - tryIt: A Boolean value that indicates whether the page can call operations.
    /// - Throws: Mustache's error for an invalid template.
    init(
        document: OpenAPIDocument,
        problems: [ProblemGuide],
        sources: [(path: String, contents: String)],
        guides: [(path: String, contents: String)],
        tryIt: Bool
    ) throws {
        let templates = sources.filter { $0.path.hasSuffix(".mustache") }.map {
            (String($0.path.dropLast(".mustache".count)), $0.contents)
        }
        self.library = MustacheLibrary(
            templates: Dictionary(uniqueKeysWithValues: try templates.map { ($0, try MustacheTemplate(string: $1)) })
        )
        var markdown = Markdown(
            links: Dictionary(uniqueKeysWithValues: problems.map { ($0.slug, "/problems/\($0.slug)") })
        )
        markdown.files = Dictionary(uniqueKeysWithValues: guides.map { ($0.path, "/guides/\($0.path)") })
        markdown.files["../openapi.yaml"] = "/openapi.yaml"
        let reader = OperationReader(document: document, markdown: markdown)
        let operations = document.operations.map { reader.operation($0.method, $0.path, $0.node) }
        self.document = document
        self.problems = problems
        self.markdown = markdown
        self.guides = guides
        self.tryIt = tryIt
        self.sections = document.tags.map { tag in
            Section(
                name: tag.name,
                description: tag.description,
                operations: operations.filter { $0.tag == tag.name },
                isCurrent: false
            )
        }
    }

    /// Renders all files.
    ///
    /// - Returns: The files by the path that they are served under; HTML pages end in `.html`.
    func files() -> [(path: String, contents: String)] {
        var files = [("docs.html", self.page("API reference", self.draw("home", self.home), isHome: true))]
        files.append(("llms.txt", self.draw("llms", self.home)))
        for section in self.sections {
            let content = self.draw("section", SectionPage(section: section, tryIt: self.tryIt))
            files.append(("docs/\(section.name).html", self.page(section.name, content, current: section.name)))
            files.append(("docs/\(section.name).md", self.draw("section.md", section)))
        }
        let list = self.draw("problems", ["problems": self.problems])
        files.append(("docs/problems.html", self.page("Problems", list, isProblems: true)))
        for problem in self.problems {
            let content = self.draw("problem", problem)
            files.append(("problems/\(problem.slug).html", self.page(problem.title, content, isProblems: true)))
            files.append(("problems/\(problem.slug).md", self.draw("problem.md", problem)))
            files.append(("problems/\(problem.slug).json", problem.json))
        }
        files.append(("docs/search.json", self.searchIndex))
        // Without the indentation, the file has half the size.
        let lines = JSONText.plain(self.document.root).split(separator: "\n").map { $0.drop { $0 == " " } }
        files.append(("openapi.json", lines.joined() + "\n"))
        for guide in self.guides {
            let title = Self.title(of: guide.contents)
            let content = "<div class=\"text guide\">\(self.markdown.html(guide.contents))</div>"
            let page = self.page(title, content, guide: guide.path)
            files.append(("guides/\(guide.path).html", page))
            if guide.path == "guarantees.md" { files.append(("docs/guarantees.html", page)) }
        }
        return files + self.guides.map { ("guides/\($0.path)", $0.contents) }
    }

    private static func title(of guide: String) -> String {
        String(guide.prefix { $0 != "\n" }.drop { "# ".contains($0) })
    }

    private var home: Home {
        Home(
            title: self.document.title,
            summary: self.document.summary,
            description: self.markdown.html(self.document.description),
            text: self.document.description.trimmed,
            schemes: self.document.securitySchemes.map { ($0.name, self.markdown.html($0.description)) },
            sections: self.sections,
            guides: self.guides.map { Guide(name: $0.path, title: Self.title(of: $0.contents)) },
            tryIt: self.tryIt
        )
    }

    /// The search index: `[heading, detail, address, text]` for each operation, problem and section of a guide.
    ///
    /// The text has the words that the heading and the detail lack.
    private var searchIndex: String {
        let start = [
            "Quick start", "A token, the balance, a purchase and a booking", "/docs#start", "token jwt login try",
        ]
        let operations = self.sections.flatMap { section in
            section.operations.map { operation in
                let parameters = operation.parameters.map(\.field.name).joined(separator: " ")
                let text = "\(operation.text ?? "") \(operation.id) \(section.name) \(parameters)"
                let heading = "\(operation.method) \(operation.path)"
                return [heading, operation.summary, "/docs/\(section.name)#\(operation.id)", text]
            }
        }
        let problems = self.problems.map {
            [$0.slug, "\($0.status) \($0.title)", "/problems/\($0.slug)", "\($0.cause) \($0.fix)"]
        }
        let schemes = self.document.securitySchemes.map {
            [$0.name, "Authentication", "/docs#authentication", $0.description]
        }
        let guides = self.guides.flatMap(Self.entries)
        let lines = ([start] + schemes + operations + problems + guides).map { entry in
            let known = Set(Self.words(entry[0] + " " + entry[1]))
            let more = Set(Self.words(entry[3])).subtracting(known).sorted().joined(separator: " ")
            return "[\((entry.prefix(3) + [more]).map(\.jsonQuoted).joined(separator: ","))]"
        }
        return "[\n\(lines.joined(separator: ",\n"))\n]\n"
    }

    /// Returns the entries of a guide's sections; the first section has the guide's title.
    private static func entries(of guide: (path: String, contents: String)) -> [[String]] {
        let title = Self.title(of: guide.contents)
        var entries = [[title, "Guide", "/guides/\(guide.path)", ""]]
        var isCode = false
        for line in guide.contents.split(separator: "\n").dropFirst() {
            if line.hasPrefix("```") { isCode.toggle() }
            // A comment of a program looks like a heading.
            if !isCode, Markdown.level(of: line) != nil {
                let heading = line.drop { "# ".contains($0) }
                let address = "/guides/\(guide.path)#\(Markdown.anchor(of: heading))"
                entries.append([String(heading), title, address, ""])
            } else {
                entries[entries.count - 1][3] += " \(line)"
            }
        }
        return entries
    }

    /// Returns the words of a text in lower case, of two or more letters and digits.
    private static func words(_ text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init).filter { $0.count > 1 }
    }

    private func page(
        _ title: String,
        _ content: String,
        current: String = "",
        guide: String = "",
        isHome: Bool = false,
        isProblems: Bool = false
    ) -> String {
        let sections = self.sections.map {
            Section(
                name: $0.name,
                description: $0.description,
                operations: $0.name == current ? $0.operations : [],
                isCurrent: $0.name == current
            )
        }
        return self.draw(
            "page",
            Frame(
                title: title,
                content: content,
                sections: sections,
                guides: self.guides.map {
                    Guide(name: $0.path, title: Self.title(of: $0.contents), isCurrent: $0.path == guide)
                },
                isHome: isHome,
                isProblems: isProblems,
                tryIt: self.tryIt
            )
        )
    }

    private func draw(_ template: String, _ value: Any) -> String {
        guard let text = self.library.render(value, withTemplate: template) else {
            preconditionFailure("The template \(template) is missing from Reference/Pages.")
        }
        return text
    }
}

import HTTPTypes
public import Hummingbird
import JSON
import Mustache
import Synchronization

/// The API reference, rendered from `openapi.yaml` at the first request.
///
/// - `GET /docs` and `GET /docs/{page}` (public): the pages, one for each tag, their Markdown (`.md`), style, script
///   and index
/// - `GET /problems/{slug}` (public): the description of a problem, as HTML, JSON or Markdown depending on `Accept`
/// - `GET /openapi.json`, `GET /llms.txt`, `GET /guides/{name}`, `GET /favicon.ico` (public)
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
            try await self.file("guides/\(context.parameters.require("name"))", request)
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
    }

    private struct Guide {
        let name: String
        let title: String
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
        let markdown = Markdown(
            links: Dictionary(uniqueKeysWithValues: problems.map { ($0.slug, "/problems/\($0.slug)") })
        )
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
        return files + self.guides.map { ("guides/\($0.path)", $0.contents) }
    }

    private var home: Home {
        Home(
            title: self.document.title,
            summary: self.document.summary,
            description: self.markdown.html(self.document.description),
            text: self.document.description.trimmed,
            schemes: self.document.securitySchemes.map { ($0.name, self.markdown.html($0.description)) },
            sections: self.sections,
            guides: self.guides.map { guide in
                let title = guide.contents.prefix { $0 != "\n" }.drop { "# ".contains($0) }
                return Guide(name: guide.path, title: String(title))
            }
        )
    }

    /// The search index: `[heading, detail, address]` for each operation and problem.
    private var searchIndex: String {
        let operations = self.sections.flatMap { section in
            section.operations.map { ["\($0.method) \($0.path)", $0.summary, "/docs/\(section.name)#\($0.id)"] }
        }
        let problems = self.problems.map { [$0.slug, "\($0.status) \($0.title)", "/problems/\($0.slug)"] }
        let lines = (operations + problems).map { "[\($0.map(\.jsonQuoted).joined(separator: ","))]" }
        return "[\n\(lines.joined(separator: ",\n"))\n]\n"
    }

    private func page(
        _ title: String,
        _ content: String,
        current: String = "",
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

import HTTPTypes
public import Hummingbird
import Synchronization

/// The API reference, drawn from `openapi.yaml` when somebody first asks for a page of it.
///
/// - `GET /docs` and `GET /docs/{page}` (public): the pages, one a tag, their Markdown (`.md`), style, script and index
/// - `GET /problems/{slug}` (public): what a problem means; HTML, JSON or Markdown by `Accept`
/// - `GET /openapi.json`, `GET /llms.txt`, `GET /guides/{name}`, `GET /favicon.ico` (public)
/// - `GET /` (public): leads to `/docs`, except in `dev`
public final class APIReference: Sendable {
    private static let formats = [("text/html", "html"), ("json", "json")]

    private let openAPI: String
    private let problemTitles: [String: String]
    private let tryIt: Bool
    private let drawing = Mutex<Task<StaticFiles, any Error>?>(nil)

    /// Takes what the pages are drawn from.
    ///
    /// - Parameters:
    ///   - openAPI: The text of `openapi.yaml`.
    ///   - problemTitles: The title of each problem type by its slug.
    ///   - tryIt: Whether operations can be called from the page, with the tokens of the demo: for `dev` alone.
    public init(openAPI: String, problemTitles: [String: String], tryIt: Bool = false) {
        self.openAPI = openAPI
        self.problemTitles = problemTitles
        self.tryIt = tryIt
    }

    /// Adds the pages to a router.
    ///
    /// - Parameter group: The router.
    public func add(to group: some RouterMethods<some RequestContext>) {
        // In `dev` the demo page is there.
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

    /// Draws all pages.
    ///
    /// - Returns: The files by their paths.
    /// - Throws: For a document that cannot be read, or a problem without a guide.
    func drawn() throws -> [(path: String, contents: String)] {
        let sources = EmbeddedReference.files
        let guide = sources.first { $0.path == "problems.yaml" }?.contents ?? ""
        let pages = try ReferencePages(
            document: OpenAPIDocument(self.openAPI),
            problems: ProblemGuide.all(guide, titles: self.problemTitles),
            sources: sources,
            guides: EmbeddedGuides.files,
            tryIt: self.tryIt
        )
        let assets = sources.filter { $0.path.hasSuffix(".css") || $0.path.hasSuffix(".js") }
        let icon = EmbeddedDemo.files.filter { $0.path == "icon.svg" }
        return pages.files() + (assets + icon).map { ("docs/\($0.path)", $0.contents) }
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

    /// Browsers ask for HTML, programs for JSON; Markdown is for those who say nothing, at a terminal.
    private static func format(_ accept: String) -> String {
        self.formats.first { accept.contains($0.0) }?.1 ?? "md"
    }
}

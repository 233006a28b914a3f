import HTTPTypes
public import Hummingbird
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
    private let problemTitles: [String: String]
    private let tryIt: Bool
    private let drawing = Mutex<Task<StaticFiles, any Error>?>(nil)

    /// Creates the reference; its pages are rendered later.
    ///
    /// - Parameters:
    ///   - openAPI: The text of `openapi.yaml`.
    ///   - problemTitles: The title of each problem type by its slug.
    ///   - tryIt: A Boolean value that indicates whether the page can call operations with the demo's tokens; only for
    ///     `dev`.
    public init(openAPI: String, problemTitles: [String: String], tryIt: Bool = false) {
        self.openAPI = openAPI
        self.problemTitles = problemTitles
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

    /// Renders all pages.
    ///
    /// - Returns: The files by their paths.
    /// - Throws: An error for an invalid document or a problem without a guide.
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
        return pages.files() + (assets + StaticFiles.icon).map { ("docs/\($0.path)", $0.contents) }
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

    /// Returns the format for an `Accept` value: HTML for browsers, JSON for programs, and Markdown for clients without
    /// a preference.
    private static func format(_ accept: String) -> String {
        self.formats.first { accept.contains($0.0) }?.1 ?? "md"
    }
}

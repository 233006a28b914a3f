import Mustache

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
        let lines = (operations + problems).map { "[\($0.map(JSONText.quoted).joined(separator: ","))]" }
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

import Mustache

/// The console's templates, read once.
struct ConsoleTemplates: Sendable {
    private let library: MustacheLibrary

    init() {
        let templates = EmbeddedConsole.files.filter { $0.path.hasSuffix(".mustache") }.map { path, contents in
            do {
                return (String(path.dropLast(".mustache".count)), try MustacheTemplate(string: contents))
            } catch {
                preconditionFailure("The template \(path) cannot be read: \(error)")
            }
        }
        self.library = MustacheLibrary(templates: Dictionary(uniqueKeysWithValues: templates))
    }

    /// Draws a template; everything is escaped unless the template says otherwise.
    func draw(_ template: String, _ value: Any) -> String {
        guard let text = self.library.render(value, withTemplate: template) else {
            preconditionFailure("The template \(template) is missing from Console/Pages.")
        }
        return text
    }
}

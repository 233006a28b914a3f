import Mustache

/// The console's templates, parsed once.
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

    /// Renders a template; values are escaped unless the template disables it.
    func draw(_ template: String, _ value: Any) -> String {
        guard let text = self.library.render(value, withTemplate: template) else {
            preconditionFailure("The template \(template) is missing from Console/Pages.")
        }
        return text
    }
}

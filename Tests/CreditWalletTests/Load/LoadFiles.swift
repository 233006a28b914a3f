/// The files that `load` books from.
struct LoadFiles {
    private let directory: TemporaryDirectory

    var tokens: String { "\(self.directory.path)/tokens" }
    var classes: String { "\(self.directory.path)/classes" }
    var arguments: [String] { ["--tokens", self.tokens, "--classes", self.classes] }

    init(tokens: [String], classes: [String]) throws {
        self.directory = try TemporaryDirectory()
        try self.write(tokens)
        try self.directory.write(classes.joined(separator: "\n") + "\n", to: "classes")
    }

    func write(_ tokens: [String]) throws {
        try self.directory.write(tokens.joined(separator: "\n") + "\n", to: "tokens")
    }
}

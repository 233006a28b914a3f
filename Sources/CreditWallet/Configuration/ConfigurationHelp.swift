/// The table of configuration keys as `serve --help` prints it.
enum ConfigurationHelp {
    static let text = """
        Configuration comes from the options above, then the environment, then the file .env, then a directory with \
        one file a secret, then the defaults. Required keys have no default; the service does not start without them.

        \((ConfigurationKey.all + ConfigurationKey.allOfIssuer("NAME")).map(Self.entry).joined(separator: "\n"))
        """

    private static func entry(_ key: ConfigurationKey) -> String {
        let absence =
            switch key.absence {
            case .required: "required"
            case .optional: "optional"
            case .fallback(let value): value.isEmpty ? "default: none" : "default: \(value)"
            }
        return "  \(key.name) (\(absence))\n    \(key.meaning)"
    }
}

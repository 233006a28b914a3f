/// The table of configuration keys that `serve --help` prints.
enum ConfigurationHelp {
    static let text = """
        Configuration values come from the options above, the environment, the file .env, a directory with one file \
        per key, and the defaults, in this order of precedence. Required keys have no default: without them, the \
        service lists the missing keys and does not start.

        \(Self.parts.map(Self.text).joined(separator: "\n\n"))
        """

    /// All keys in the order of the help text, grouped under their titles.
    static let parts: [(title: String, keys: [ConfigurationKey])] = [
        ("The service", ConfigurationKey.allOfService),
        ("Limits for clients and outgoing calls", ConfigurationKey.allOfHTTP),
        ("Each issuer NAME in AUTH_ISSUERS", ConfigurationKey.allOfIssuer("NAME")),
        ("The App Store, if STORES contains app_store", ConfigurationKey.allOfAppStore),
        ("RevenueCat, if STORES contains revenuecat", ConfigurationKey.allOfRevenueCat),
        ("Google Play, if STORES contains play_store", ConfigurationKey.allOfGooglePlay),
        ("Background work", ConfigurationKey.allOfWork),
        ("The operators' console, if CONSOLE_ISSUER is set", ConfigurationKey.allOfConsole),
        ("Metrics", ConfigurationKey.allOfAdmin),
        ("Traces, with the names of OpenTelemetry", ConfigurationKey.allOfTraces),
    ]

    private static func text(of part: (title: String, keys: [ConfigurationKey])) -> String {
        "\(part.title.uppercased())\n" + part.keys.map(Self.entry).joined(separator: "\n")
    }

    private static func entry(_ key: ConfigurationKey) -> String {
        let absence =
            switch key.absence {
            case .required: "required"
            case .optional: "optional"
            case .fallback(let value): value.isEmpty ? "default: none" : "default: \(value)"
            }
        let meaning = Self.lines(key.meaning, width: 76).map { "    \($0)" }.joined(separator: "\n")
        return "  \(key.name) (\(absence))\n\(meaning)"
    }

    /// Wraps a text at its spaces into lines of at most the given width; a longer word stays on one line.
    static func lines(_ text: String, width: Int) -> [String] {
        text.split(separator: " ").reduce(into: [String]()) { lines, word in
            if let last = lines.last, last.count + word.count < width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
    }
}

import Foundation
import TestSupport
import Testing

/// The log lines of a running wallet, and the texts that they must not contain.
struct LogSecrets: Sendable {
    let lines: [String]
    /// The lines without the last one if the program has not finished writing it.
    let finishedLines: [String]
    /// The spans sent to a collector, if there is one.
    let spans: [String]
    private let wallet: LiveWallet

    /// Reads the log of an instance, without the lines that `dev` prints for people.
    init(of wallet: LiveWallet) {
        self.wallet = wallet
        self.spans = Collector.scoped?.exports.map(\.body) ?? []
        let output = wallet.program.output
        self.lines = Self.lines(of: output[...])
        self.finishedLines = Self.lines(of: output[..<(output.lastIndex(of: "\n") ?? output.startIndex)])
    }

    private static func lines(of output: Substring) -> [String] {
        output.split(separator: "\n").map(String.init).filter { $0.hasPrefix("{") }
    }

    /// Expects that no line contains a secret of the instance, anything that looks like a token or a signed
    /// document, or one of the given texts.
    func expectNone(of texts: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: "\(self.wallet.directory)/secrets")
        var secrets = texts
        for file in files {
            // The header of a key file is not secret, so its first line of data is used.
            let lines = try self.wallet.secret(file).split(separator: "\n").filter { !$0.hasPrefix("-----") }
            secrets["the secret \(file)"] = lines.first.map(String.init)
        }
        secrets["a token or signed document"] = "eyJ"
        secrets["a bearer"] = "Bearer "
        secrets["a URL of the database"] = "postgresql://"
        for (name, secret) in secrets where !secret.isEmpty {
            let line = self.lines.first { $0.contains(secret) }
            #expect(line == nil, "a line of the log holds \(name)", sourceLocation: sourceLocation)
            let isInSpan = self.spans.contains { $0.contains(secret) }
            #expect(!isInSpan, "a span holds \(name)", sourceLocation: sourceLocation)
        }
    }
}

import Foundation
import PackagePlugin

/// Embeds files into targets before they are compiled.
///
/// `Wallet` gets `sql/` and the problem types of `problems.yaml`, and `WalletAPI` gets `openapi.yaml`. `WalletConsole`
/// gets the demo page, the templates of the console and of the reference, and the guides for users of the API (from
/// `deploy/`).
///
/// Files in the package's root lie outside the targets' folders, so SwiftPM detects edits only through `inputFiles`.
/// SwiftPM plans the build again, and calls this plugin again, only when a target's folder gains or loses a file. The
/// link `Sources/Wallet/sql` makes this happen for `sql/`. Without the link, the build would miss a new file and fail
/// after a file was deleted.
@main
struct EmbedSQLPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let root = context.package.directoryURL
        return switch target.name {
        case "Wallet":
            try self.command(
                kind: "sql",
                input: root.appending(path: "sql"),
                output: "EmbeddedSQL.swift",
                context: context
            )
                + self.command(
                    kind: "problems",
                    input: target.directoryURL.appending(path: "Refusals/problems.yaml"),
                    output: "EmbeddedProblems.swift",
                    context: context
                )
        case "WalletAPI":
            try self.command(
                kind: "openapi",
                input: root.appending(path: "openapi.yaml"),
                output: "EmbeddedOpenAPI.swift",
                context: context
            )
        case "WalletConsole":
            try self.command(
                kind: "demo",
                input: target.directoryURL.appending(path: "Demo"),
                output: "EmbeddedDemo.swift",
                context: context
            )
                + self.command(
                    kind: "console",
                    input: target.directoryURL.appending(path: "Console/Pages"),
                    output: "EmbeddedConsole.swift",
                    context: context
                )
                + self.command(
                    kind: "reference",
                    input: target.directoryURL.appending(path: "Reference/Pages"),
                    output: "EmbeddedReference.swift",
                    context: context
                )
                + self.command(
                    kind: "guides",
                    input: root.appending(path: "deploy"),
                    output: "EmbeddedGuides.swift",
                    context: context
                )
        default: []
        }
    }

    private func command(kind: String, input: URL, output: String, context: PluginContext) throws -> [Command] {
        guard FileManager.default.fileExists(atPath: input.path(percentEncoded: false)) else {
            Diagnostics.error("\(input.lastPathComponent) is missing from the package")
            return []
        }
        let outputFile = context.pluginWorkDirectoryURL.appending(path: output)
        return [
            .buildCommand(
                displayName: "Embed \(input.lastPathComponent)",
                executable: try context.tool(named: "EmbedSQL").url,
                arguments: [kind, input.path(percentEncoded: false), outputFile.path(percentEncoded: false)],
                inputFiles: [input] + self.contents(of: input),
                outputFiles: [outputFile]
            )
        ]
    }

    private func contents(of folder: URL) -> [URL] {
        let below = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (below?.compactMap { $0 as? URL } ?? []).sorted { $0.path() < $1.path() }
    }
}

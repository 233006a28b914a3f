import CommandOutput
import Foundation
import Testing

/// Tests of the shell completion scripts that the executable generates.
@Suite struct CompletionTests {
    /// Returns bash's completions for the last word of a command line.
    private static func offers(_ words: [String]) async throws -> [String] {
        let script = """
            source <("$0" --generate-completion-script bash)
            COMP_WORDS=(credit-wallet "$@")
            COMP_CWORD=$#
            COMP_LINE="credit-wallet $*" COMP_POINT=${#COMP_LINE}
            complete -p credit-wallet >/dev/null || exit 1
            _credit-wallet credit-wallet "${!#}" "${COMP_WORDS[$# - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let result = try await ChildProcess.run(["bash", "-c", script, try Executable.path] + words)
        #expect(result.status == 0, "\(result.output)")
        return result.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test func `bash completes commands, options and their values`() async throws {
        #expect(try await Self.offers(["mi"]) == ["migrate"])
        #expect(try await Set(Self.offers(["load", "--make-"])) == ["--make-users", "--make-classes"])
        #expect(try await Self.offers(["load", "--pattern", "one-w"]) == ["one-wallet"])
        #expect(try await Self.offers(["import", "--environment", "s"]) == ["sandbox"])
    }

    @Test(arguments: [
        ("bash", "_credit-wallet"), ("zsh", "#compdef credit-wallet"), ("fish", "complete -c 'credit-wallet'"),
    ])
    func `each shell has its own script with every command`(shell: String, sign: String) async throws {
        let script = try await Executable.run(["--generate-completion-script", shell])
        #expect(script.status == 0)
        #expect(script.output.contains(sign))
        for command in ["serve", "dev", "migrate", "verify", "reconcile", "import", "token", "load", "health"] {
            #expect(script.output.contains(command))
        }
    }
}

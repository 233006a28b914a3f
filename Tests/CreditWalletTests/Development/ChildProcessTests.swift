import CommandOutput
import Foundation
import Testing

@Suite struct ChildProcessTests {
    @Test func `a program inherits no open file`() async throws {
        let pipe = Pipe()
        let own = pipe.fileHandleForReading.fileDescriptor
        #expect(fcntl(own, F_SETFD, 0) == 0)
        let listed = try await ChildProcess.run(["sh", "-c", "ls /proc/$$/fd; :"])
        #expect(listed.output == "0\n1\n2\n")
        withExtendedLifetime(pipe) {}
    }

    @Test func `an exit is reported although a process in the background remains`() async throws {
        let start = ContinuousClock.now
        let result = try await ChildProcess.run(["sh", "-c", "sleep 300 & echo $!; exit 7"])
        #expect(result.status == 7)
        #expect(ContinuousClock.now - start < .seconds(200))
        let background = try #require(pid_t(result.output.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(background, SIGKILL) == 0)
    }

    @Test func `the end by a signal is the signal's number`() async throws {
        #expect(try await ChildProcess.run(["sh", "-c", "kill -KILL $$"]).status == SIGKILL)
    }

    @Test func `a program that does not exist fails like a command of a shell`() async throws {
        #expect(try await ChildProcess.run(["no-such-program"]).status == 127)
    }

    @Test func `a program has its directory`() async throws {
        #expect(try await ChildProcess.run(["pwd"], in: "/usr").output == "/usr\n")
    }

    @Test func `no signal is blocked or ignored`() async throws {
        let command = ["sed", "-n", "s/^Sig\\(Blk\\|Ign\\):\t//p", "/proc/self/status"]
        let masks = try await ChildProcess.run(command).output.split(separator: "\n")
        // The C library ignores two signals of its own, 32 and 33.
        #expect(masks.map { (UInt64($0, radix: 16) ?? .max) & 0x7fff_ffff } == [0, 0])
    }
}

import Foundation
public import Testing

/// An error that describes the rule that an input broke.
public struct FuzzFailure: Error, CustomStringConvertible {
    /// The description of the broken rule.
    public let description: String

    /// Creates the error.
    public init(_ description: String) {
        self.description = description
    }
}

/// Feeds random inputs to a decoder for a while: no input may stop the process, take long (``FuzzTime``) or fail the
/// check.
///
/// `FUZZ_SECONDS` sets the duration (2), `FUZZ_SEED` the first seed, and `FUZZ_CASE` reproduces a single input. The
/// current input is stored in a file `credit-wallet-fuzz-NAME` of the temporary directory, so that an input which stops
/// the process can be found there.
public struct Fuzzer: Sendable {
    private let name: String
    private let seconds: Double
    private let seed: UInt64
    private let only: UInt64?

    /// Creates a fuzzer with the name of a decoder.
    public init(_ name: String) {
        let environment = ProcessInfo.processInfo.environment
        self.name = name.replacing(" ", with: "-")
        self.seconds = environment["FUZZ_SECONDS"].flatMap(Double.init) ?? 2
        self.seed = environment["FUZZ_SEED"].flatMap(UInt64.init) ?? 1
        self.only = environment["FUZZ_CASE"].flatMap(UInt64.init)
    }

    /// Creates inputs and checks each.
    ///
    /// - Parameters:
    ///   - make: A closure that creates the next input.
    ///   - location: The source location of a reported failure.
    ///   - check: A closure that passes the input to the decoder. It throws ``FuzzFailure``, or an error that the
    ///     decoder must not throw.
    /// - Throws: An error of `make`.
    public func run(
        _ make: (inout FuzzRandom) throws -> [UInt8],
        at location: SourceLocation = #_sourceLocation,
        check: ([UInt8]) async throws -> Void
    ) async throws {
        let trace = try FuzzTrace(self.name)
        let end = ContinuousClock.now + .seconds(self.seconds)
        var number = self.only ?? 0
        repeat {
            var random = FuzzRandom(seed: self.seed, number: number)
            let input = try make(&random)
            trace.note("FUZZ_SEED=\(self.seed) FUZZ_CASE=\(number)", input)
            do {
                try await FuzzTime.check { try await check(input) }
            } catch {
                return self.record("\(error)", number, input, location)
            }
            number += 1
        } while self.only == nil && ContinuousClock.now < end
        trace.remove()
        if self.only == nil { print("fuzz \(self.name): \(number) inputs from seed \(self.seed)") }
    }

    private func record(_ failure: String, _ number: UInt64, _ input: [UInt8], _ location: SourceLocation) {
        Issue.record(
            """
            \(self.name), FUZZ_SEED=\(self.seed) FUZZ_CASE=\(number): \(failure)
            input: \(String(decoding: input.prefix(4_000), as: UTF8.self).debugDescription)
            """,
            sourceLocation: location
        )
    }
}

/// The current input, in a file that outlives the process.
private struct FuzzTrace {
    private let path: String
    private let file: FileHandle

    init(_ name: String) throws {
        self.path = NSTemporaryDirectory() + "/credit-wallet-fuzz-\(name)"
        guard FileManager.default.createFile(atPath: self.path, contents: nil),
            let file = FileHandle(forWritingAtPath: self.path)
        else { throw FuzzFailure("\(self.path) cannot be written") }
        self.file = file
    }

    func note(_ line: String, _ input: [UInt8]) {
        let bytes = Array("\(line)\n".utf8) + input
        _ = bytes.withUnsafeBytes { pwrite(self.file.fileDescriptor, $0.baseAddress, $0.count, 0) }
        ftruncate(self.file.fileDescriptor, off_t(bytes.count))
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: self.path)
    }
}

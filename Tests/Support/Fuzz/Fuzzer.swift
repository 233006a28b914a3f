import Foundation
public import Testing

/// Says which rule an input broke.
public struct FuzzFailure: Error, CustomStringConvertible {
    /// The rule.
    public let description: String

    /// Says it.
    public init(_ description: String) {
        self.description = description
    }
}

/// Feeds a decoder with input after input for a while: none may stop the process, take long (``FuzzTime``) or break the
/// check's rule.
///
/// `FUZZ_SECONDS` says for how long (2), `FUZZ_SEED` from where, and `FUZZ_CASE` picks one input to make again. The
/// input under way lies in a file `credit-wallet-fuzz-NAME` of the temporary directory, so that one which stops the
/// process can be found there.
public struct Fuzzer: Sendable {
    private let name: String
    private let seconds: Double
    private let seed: UInt64
    private let only: UInt64?

    /// Makes a fuzzer of a decoder.
    public init(_ name: String) {
        let environment = ProcessInfo.processInfo.environment
        self.name = name.replacing(" ", with: "-")
        self.seconds = environment["FUZZ_SECONDS"].flatMap(Double.init) ?? 2
        self.seed = environment["FUZZ_SEED"].flatMap(UInt64.init) ?? 1
        self.only = environment["FUZZ_CASE"].flatMap(UInt64.init)
    }

    /// Makes inputs and checks each.
    ///
    /// - Parameters:
    ///   - make: Makes the next input.
    ///   - location: Where a failure is to be shown.
    ///   - check: Hands it to the decoder; throws ``FuzzFailure``, or anything that the decoder may not throw.
    /// - Throws: What making an input throws.
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

/// The input under way, in a file that outlives the process.
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

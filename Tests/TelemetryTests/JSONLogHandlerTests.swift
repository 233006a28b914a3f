import Foundation
import Logging
import Testing

@testable import Telemetry

@Suite struct JSONLogHandlerTests {
    @Test func `an event is one line with time, level, logger, message and flat metadata`() throws {
        let lines = try self.lines { logger in
            logger.info("receipt verified", metadata: ["request_id": "r-1", "count": "\(3)"])
        }

        let object = try #require(lines.first)
        #expect(lines.count == 1)
        #expect(object["level"] as? String == "info")
        #expect(object["logger"] as? String == "wallet.test")
        #expect(object["msg"] as? String == "receipt verified")
        #expect(object["request_id"] as? String == "r-1")
        #expect(object["count"] as? String == "3")
        let time = try #require(object["time"] as? String)
        #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    }

    @Test(arguments: [
        "quote \" and backslash \\", "two\nlines\r\n", "tab\tnull\u{0}bell\u{7}", "\u{2028}separators\u{2029}\u{85}",
        "{\"level\":\"error\"}", "Grüße 🎟️", "",
    ])
    func `any text round-trips on one line`(text: String) throws {
        let lines = try self.lines { logger in
            logger.warning("\(text)", metadata: ["\(text)k": "\(text)"])
        }

        let object = try #require(lines.first)
        #expect(lines.count == 1)
        #expect(object["msg"] as? String == text)
        #expect(object["\(text)k"] as? String == text)
    }

    @Test func `metadata cannot pose as the event's own members`() throws {
        let lines = try self.lines { logger in
            logger.info("real", metadata: ["msg": "forged", "level": "critical", "time": "1970"])
        }

        let object = try #require(lines.first)
        #expect(object["msg"] as? String == "real")
        #expect(object["level"] as? String == "info")
        #expect(object["metadata.msg"] as? String == "forged")
    }

    @Test func `nested metadata stays nested and errors are described`() throws {
        let lines = try self.lines { logger in
            logger.error(
                "failed",
                error: CancellationError(),
                metadata: ["ids": ["a", "b"], "pool": ["idle": "1", "leased": "2"]]
            )
        }

        let object = try #require(lines.first)
        #expect(object["ids"] as? [String] == ["a", "b"])
        #expect(object["pool"] as? [String: String] == ["idle": "1", "leased": "2"])
        #expect(object["error"] as? String == "CancellationError()")
    }

    @Test func `the event's metadata overrides the provider's, which overrides the logger's`() throws {
        let provider = Logger.MetadataProvider { ["request_id": "provider", "trace_id": "provider"] }
        let lines = try self.lines(metadataProvider: provider) { logger in
            var logger = logger
            logger[metadataKey: "trace_id"] = "logger"
            logger[metadataKey: "instance"] = "logger"
            logger.info("x", metadata: ["request_id": "event"])
        }

        let object = try #require(lines.first)
        #expect(object["request_id"] as? String == "event")
        #expect(object["trace_id"] as? String == "provider")
        #expect(object["instance"] as? String == "logger")
    }

    @Test func `events below the level are not written`() throws {
        let lines = try self.lines { logger in
            logger.debug("hidden")
            logger.info("shown")
        }

        #expect(lines.map { $0["msg"] as? String } == ["shown"])
    }

    @Test func `lines that many tasks write at once do not mix`() async throws {
        let file = try TemporaryFile()
        let output = LogOutput(descriptor: file.handle.fileDescriptor)
        let padding = String(repeating: "x", count: 10_000)
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    let logger = Logger(label: "wallet.\(task)") { JSONLogHandler(label: $0, output: output) }
                    for number in 0..<50 {
                        logger.info("\(task)-\(number)", metadata: ["padding": "\(padding)"])
                    }
                }
            }
        }

        let messages = try file.objects().compactMap { $0["msg"] as? String }
        #expect(Set(messages).count == 400)
        #expect(messages.count == 400)
    }

    private func lines(
        metadataProvider: Logger.MetadataProvider? = nil,
        _ body: (Logger) -> Void
    ) throws -> [[String: Any]] {
        let file = try TemporaryFile()
        let output = LogOutput(descriptor: file.handle.fileDescriptor)
        let logger = Logger(label: "wallet.test") { label in
            JSONLogHandler(label: label, output: output, metadataProvider: metadataProvider)
        }
        body(logger)
        return try file.objects()
    }
}

import Logging
import Telemetry

extension Logger {
    /// Sends every log line of the process to standard output as JSON and makes the executable's own logger.
    ///
    /// To be called once, before anything is logged.
    static func bootstrapped(level: Logger.Level) -> Logger {
        LoggingSystem.bootstrap { label in
            JSONLogHandler(label: label, logLevel: level, metadataProvider: .trace)
        }
        return Logger(label: "credit-wallet")
    }
}

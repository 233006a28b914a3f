import Logging
import Telemetry

extension Logger {
    /// Configures all logging of the process as JSON on standard output, and returns the executable's logger.
    ///
    /// Call it once, before anything is logged.
    static func bootstrapped(level: Logger.Level) -> Logger {
        LoggingSystem.bootstrap { label in
            JSONLogHandler(label: label, logLevel: level, metadataProvider: .trace)
        }
        return Logger(label: "credit-wallet")
    }
}

import Logging

extension Logger {
    /// A logger for output that a test does not check.
    static var quiet: Logger {
        var logger = Logger(label: "tests")
        logger.logLevel = .error
        return logger
    }
}

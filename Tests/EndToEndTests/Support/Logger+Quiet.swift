import Logging

extension Logger {
    /// A logger for what a test does not look at.
    static var quiet: Logger {
        var logger = Logger(label: "tests")
        logger.logLevel = .error
        return logger
    }
}

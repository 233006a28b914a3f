import Logging
import ServiceLifecycle
import UnixSignals

extension ServiceGroup {
    /// Creates a group that shuts down gracefully after a signal or the failure of a service.
    init(services: [any Service], shutdownTimeout: Duration, logger: Logger) {
        var configuration = ServiceGroupConfiguration(
            services: services.map { service in
                ServiceGroupConfiguration.ServiceConfiguration(
                    service: service,
                    successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup,
                    // Without a name, the group logs the whole service value, including its secrets.
                    serviceName: "\(type(of: service))"
                )
            },
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        configuration.maximumGracefulShutdownDuration = shutdownTimeout
        self.init(configuration: configuration)
    }
}

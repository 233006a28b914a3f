import Logging
import ServiceLifecycle
import UnixSignals

extension ServiceGroup {
    /// Makes a group that ends in order, anyone who asks for it: a signal, or a service that failed.
    init(services: [any Service], shutdownTimeout: Duration, logger: Logger) {
        var configuration = ServiceGroupConfiguration(
            services: services.map { service in
                ServiceGroupConfiguration.ServiceConfiguration(
                    service: service,
                    successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup,
                    // By itself the group logs a service with all that it holds, secrets among it.
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

import NIOCore
import NIOSSL

/// The TLS settings for the service under load.
struct LoadSecurity: Sendable {
    let configuration: TLSConfiguration
    private let context: NIOSSLContext
    /// The name in the certificate; nil for an IP address, which the certificate must contain.
    private let serverName: String?

    /// Creates the settings.
    ///
    /// - Parameters:
    ///   - host: The service's name or address.
    ///   - authorities: A file of certificates that are trusted in addition to the system's.
    /// - Throws: ``CommandError`` if the file contains no certificates.
    init(host: String, authorities: String?) throws(CommandError) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        do {
            if let authorities {
                let certificates = try NIOSSLCertificate.fromPEMFile(authorities)
                configuration.additionalTrustRoots = [.certificates(certificates)]
            }
            configuration.applicationProtocols = ["http/1.1"]
            self.context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw CommandError(.configuration, "\(authorities ?? "The system") contains no PEM certificates.")
        }
        self.configuration = configuration
        self.serverName = (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
    }

    /// Creates the TLS handler of a connection.
    func handler() throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: self.context, serverHostname: self.serverName)
    }

    /// Returns a message about a TLS failure and its solution.
    ///
    /// - Parameter error: The error of a connection or a call.
    /// - Returns: A sentence; nil if the error is not a TLS failure.
    static func trouble(_ error: any Error) -> String? {
        if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
            return "Its certificate is for a different name or address."
        }
        guard error is NIOSSLError || error is NIOSSLExtraError || error is BoringSSLError else { return nil }
        return "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
            ? "Its certificate is not trusted. Use --ca to trust additional certificates."
            : "The TLS handshake failed: \(error)"
    }
}

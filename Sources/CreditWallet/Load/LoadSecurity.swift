import NIOCore
import NIOSSL

/// TLS to the service that is to bear the load.
struct LoadSecurity: Sendable {
    let configuration: TLSConfiguration
    private let context: NIOSSLContext
    /// The name that the certificate must have; nil for an address, which it must have as such.
    private let serverName: String?

    /// Reads what is trusted.
    ///
    /// - Parameters:
    ///   - host: The service's name or address.
    ///   - authorities: A file of certificates that are trusted besides the system's.
    /// - Throws: ``CommandError`` when the file holds no certificates.
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
            throw CommandError(.configuration, "\(authorities ?? "The system") has no certificates in PEM form.")
        }
        self.configuration = configuration
        self.serverName = (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
    }

    /// Makes what encrypts one connection.
    func handler() throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: self.context, serverHostname: self.serverName)
    }

    /// Says what is wrong with TLS to a service, and what to do.
    ///
    /// - Parameter error: What a connection or a call failed with.
    /// - Returns: A sentence; nil when it was not TLS.
    static func trouble(_ error: any Error) -> String? {
        if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
            return "Its certificate is for another name or address."
        }
        guard error is NIOSSLError || error is NIOSSLExtraError || error is BoringSSLError else { return nil }
        return "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
            ? "Its certificate is not trusted; --ca names certificates to trust besides the system's."
            : "TLS fails: \(error)"
    }
}

package import CommandOutput
import Foundation
import NIOCore
import NIOSSL

/// The service under load.
///
/// It must be on this machine, unless the user allows its host by name.
package struct LoadTarget: Sendable {
    let address: SocketAddress
    /// The value of the Host field.
    let authority: String
    /// The TLS settings; nil for plain HTTP.
    let security: LoadSecurity?

    /// Resolves a URL.
    ///
    /// - Parameters:
    ///   - url: The service's address, `http://host:port` or `https://host:port`.
    ///   - allowedHost: A non-local host that the user allows.
    ///   - authorities: A file of certificates that are trusted in addition to the system's.
    /// - Throws: ``CommandError`` if the address is invalid, does not resolve, or is a non-local host that is not allowed.
    package init(url: String, allowedHost: String?, authorities: String? = nil) throws(CommandError) {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme, ["http", "https"].contains(scheme),
            let host = parts.host, !host.isEmpty, ["", "/"].contains(parts.path), parts.query == nil, parts.user == nil
        else {
            throw CommandError(
                .configuration,
                "--url must be an address without a path, such as http://127.0.0.1:8080 or https://wallet.example."
            )
        }
        // IPv6 addresses are in brackets.
        let name = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        let isSecure = scheme == "https"
        let port = parts.port ?? (isSecure ? 443 : 80)
        guard let address = try? SocketAddress.makeAddressResolvingHost(name, port: port) else {
            throw CommandError(.unavailable, "Cannot resolve the host \(host).")
        }
        guard address.isLoopback || allowedHost == host || allowedHost == name else {
            throw CommandError(
                .configuration,
                "\(host) is another machine. Load-test only services without real users. If this is one, "
                    + "add --allow-host \(name)."
            )
        }
        guard isSecure || authorities == nil else {
            throw CommandError(.configuration, "--ca requires an https address, but --url is \(scheme)://\(host).")
        }
        self.security = isSecure ? try LoadSecurity(host: name, authorities: authorities) : nil
        self.address = address
        self.authority = "\(host):\(port)"
    }
}

extension SocketAddress {
    fileprivate var isLoopback: Bool {
        guard let ip = self.ipAddress else { return false }
        return ip.hasPrefix("127.") || ip == "::1"
    }
}

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

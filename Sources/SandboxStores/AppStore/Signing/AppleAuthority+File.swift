import Foundation

extension AppleAuthority {
    /// Returns the authority stored in a folder, and creates it if there is none; without a folder, returns a new
    /// authority.
    /// - Parameter directory: The folder of the stores' state.
    /// - Returns: The authority.
    /// - Throws: ``SandboxStoresError`` with `unreadableState` if the file exists but is not an authority.
    static func open(directory: String?) throws -> AppleAuthority {
        guard let directory else { return try AppleAuthority() }
        let folder = URL(fileURLWithPath: directory, isDirectory: true)
        let file = folder.appendingPathComponent("sandbox-authority.json")
        guard FileManager.default.fileExists(atPath: file.path) else {
            let authority = try AppleAuthority()
            try JSONEncoder().encode(authority).write(to: file, options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            return authority
        }
        do {
            return try JSONDecoder().decode(AppleAuthority.self, from: Data(contentsOf: file))
        } catch {
            throw SandboxStoresError(.unreadableState)
        }
    }
}

import Foundation

extension AppleAuthority {
    /// The authority that a folder keeps, made there if there is none; one of its own where there is no folder.
    /// - Parameter directory: the folder of the stores' state.
    /// - Returns: the authority.
    /// - Throws: ``SandboxStoresError`` with `unreadableState` when the file is there and is no such authority.
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

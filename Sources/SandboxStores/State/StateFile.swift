import Foundation

/// The file that keeps the state across restarts; each write replaces it completely.
struct StateFile: Sendable {
    private let url: URL

    /// Opens the file in a folder, which is created if necessary.
    init(directory: String) throws {
        let folder = URL(fileURLWithPath: directory, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.url = folder.appendingPathComponent("sandbox-stores.json")
    }

    /// Returns the last saved state, or a new one if there is none.
    func load() throws -> SandboxState {
        guard FileManager.default.fileExists(atPath: self.url.path) else { return SandboxState() }
        do {
            return try JSONDecoder().decode(SandboxState.self, from: Data(contentsOf: self.url))
        } catch {
            throw SandboxStoresError(.unreadableState)
        }
    }

    func save(_ state: SandboxState) throws {
        try JSONEncoder().encode(state).write(to: self.url, options: .atomic)
    }
}

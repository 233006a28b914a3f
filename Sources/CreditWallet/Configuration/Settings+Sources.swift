import Configuration
import Foundation
import SystemPackage

extension Settings {
    /// Combines the sources in order of precedence: options, environment, `.env`, secrets directory.
    ///
    /// The keys define their own defaults.
    ///
    /// - Parameters:
    ///   - options: The options of the command line, by key.
    ///   - defaults: Defaults of the command, which take precedence over the keys' defaults.
    ///   - environment: The environment variables.
    ///   - environmentFile: A file with further variables, which may be missing.
    /// - Returns: The settings.
    /// - Throws: ``CommandError`` if `.env` or the secrets directory exists but cannot be read.
    static func load(
        options: [ConfigurationKey: String?] = [:],
        defaults: [ConfigurationKey: String] = [:],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        environmentFile: String = ".env"
    ) async throws -> Settings {
        var providers: [any ConfigProvider] = [
            Self.values(options.compactMapValues { $0 }, from: "options"),
            EnvironmentVariablesProvider(environmentVariables: environment),
        ]
        providers.append(try await Self.environment(in: environmentFile))
        let directory = try Settings(reader: ConfigReader(providers: providers)).required(.secretsDirectory)
        providers.append(try await Self.secrets(in: directory))
        providers.append(Self.values(defaults, from: "defaults"))
        return Settings(reader: ConfigReader(providers: providers))
    }

    private static func values(_ values: [ConfigurationKey: String], from name: String) -> InMemoryProvider {
        let pairs = values.map { key, value in
            (AbsoluteConfigKey([key.name.lowercased()]), ConfigValue(.string(value), isSecret: key.isSecret))
        }
        return InMemoryProvider(name: name, values: Dictionary(uniqueKeysWithValues: pairs))
    }

    private static func environment(in file: String) async throws(CommandError) -> EnvironmentVariablesProvider {
        do {
            return try await EnvironmentVariablesProvider(environmentFilePath: FilePath(file), allowMissing: true)
        } catch {
            throw CommandError(.configuration, "Cannot read \(file): \(error)")
        }
    }

    private static func secrets(in directory: String) async throws(CommandError) -> DirectoryFilesProvider {
        do {
            let files = FilePath(Self.files(of: directory))
            return try await DirectoryFilesProvider(directoryPath: files, allowMissing: true)
        } catch {
            throw CommandError(
                .configuration,
                "Cannot read \(directory) (\(ConfigurationKey.secretsDirectory.name)): \(error)"
            )
        }
    }

    /// Kubernetes mounts secrets through a link named `..data`, and the provider does not read linked files.
    private static func files(of directory: String) -> String {
        let linked = "\(directory)/..data"
        return FileManager.default.fileExists(atPath: linked) ? linked : directory
    }
}

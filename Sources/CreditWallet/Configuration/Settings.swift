import Configuration
import Foundation
import Stores

/// Reads configuration keys as typed values.
///
/// Errors name a missing or malformed key but never show its value.
struct Settings: Sendable {
    private let reader: ConfigReader
    /// The wallet that the settings belong to; nil for the process's settings, or if there is only one wallet.
    private(set) var wallet: WalletAddress?
    /// Keys that are treated as missing in every source.
    private var withoutValue: Set<ConfigurationKey> = []

    init(reader: ConfigReader) {
        self.reader = reader
    }

    /// Returns the settings of one of several wallets.
    ///
    /// A key prefixed with the wallet's name takes precedence over the plain key.
    func of(_ wallet: WalletAddress) -> Settings {
        var settings = self
        settings.wallet = wallet
        return settings
    }

    /// Returns the settings as if no source contained a key.
    func without(_ key: ConfigurationKey) -> Settings {
        var settings = self
        settings.withoutValue.insert(key)
        return settings
    }

    /// Returns the value of a key in the sources; empty for an empty value, and nil if no source contains the key.
    func raw(_ key: ConfigurationKey) -> String? {
        guard !self.withoutValue.contains(key) else { return nil }
        guard let wallet else { return self.ofProcess(key) }
        if key == .databaseURL { return wallet.url }
        let own = ConfigurationKey.allOfWallet.contains(key) ? self.ofProcess(key.of(wallet)) : nil
        return own ?? self.ofProcess(key)
    }

    /// Returns the value of the key itself, without a wallet's prefix.
    func ofProcess(_ key: ConfigurationKey) -> String? {
        // Files with secrets usually end with a line break.
        self.reader.string(forKey: ConfigKey([key.name.lowercased()]), isSecret: key.isSecret)?
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Returns a value or the key's default.
    func string(_ key: ConfigurationKey) throws(CommandError) -> String? {
        // An empty value counts as missing.
        if let value = self.raw(key), !value.isEmpty { return value }
        switch key.absence {
        case .fallback(let fallback): return fallback
        case .optional: return nil
        case .required: throw CommandError(.configuration, "\(key.name) is missing. \(key.meaning)")
        }
    }

    /// Returns a required value.
    func required(_ key: ConfigurationKey) throws(CommandError) -> String {
        guard let value = try self.string(key) else {
            throw CommandError(.configuration, "\(key.name) is missing. \(key.meaning)")
        }
        return value
    }

    /// Returns an integer in a range.
    func integer(_ key: ConfigurationKey, in range: ClosedRange<Int>) throws(CommandError) -> Int {
        guard let number = Int(try self.required(key)), range.contains(number) else {
            throw CommandError(
                unusable: key,
                "must be a whole number from \(range.lowerBound) to \(range.upperBound)."
            )
        }
        return number
    }

    /// Returns `true` or `false`.
    func flag(_ key: ConfigurationKey) throws(CommandError) -> Bool {
        guard let flag = Bool(try self.required(key).lowercased()) else {
            throw CommandError(unusable: key, "must be true or false.")
        }
        return flag
    }

    /// Returns values separated by commas; empty values are ignored.
    func list(_ key: ConfigurationKey) throws(CommandError) -> [String] {
        let items = try self.required(key).split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
        guard !items.isEmpty else { throw CommandError(.configuration, "\(key.name) is missing. \(key.meaning)") }
        return items
    }

    /// Returns an instant in RFC 3339.
    func instant(_ key: ConfigurationKey) throws(CommandError) -> Date {
        let text = try self.required(key)
        guard let instant = RFC3339(text) else {
            throw CommandError(unusable: key, "must be a valid instant, such as 2026-11-21T00:00:00Z.")
        }
        return instant.date
    }

    /// Returns one of a type's raw values.
    func choice<Value: RawRepresentable & CaseIterable>(
        _ key: ConfigurationKey,
        of type: Value.Type
    ) throws(CommandError) -> Value where Value.RawValue == String {
        guard let value = Value(rawValue: try self.required(key).lowercased()) else {
            let choices = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandError(unusable: key, "must be one of \(choices).")
        }
        return value
    }
}

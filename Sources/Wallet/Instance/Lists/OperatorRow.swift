public import Foundation
import Postgres

/// One row of an operator list, with its values in the order of the list's columns.
public struct OperatorRow: Sendable, Equatable, Encodable {
    /// One value.
    public enum Value: Sendable, Equatable {
        /// No value.
        case null
        /// A text or a day.
        case text(String)
        /// A whole number, exact.
        case integer(Int64)
        /// A number, exact.
        case decimal(Decimal)
        /// A point in time.
        case instant(Date)
        /// True or false.
        case flag(Bool)
        /// Any JSON value.
        case json(JSONValue)
    }

    /// The columns.
    public let columns: [OperatorColumn]
    /// The values of the columns.
    public let values: [Value]

    init(columns: [OperatorColumn], row: Row) throws {
        self.columns = columns
        self.values = try columns.map { try Value($0, of: row) }
    }

    /// Returns the value of a column.
    ///
    /// - Parameter name: The column's name.
    public subscript(_ name: String) -> Value? {
        self.columns.firstIndex { $0.name == name }.map { self.values[$0] }
    }

    /// Encodes the row as an object.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error that the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        for (column, value) in zip(self.columns, self.values) {
            let key = Key(stringValue: column.name)
            switch value {
            case .null: try members.encodeNil(forKey: key)
            case .text(let text): try members.encode(text, forKey: key)
            case .integer(let number): try members.encode(number, forKey: key)
            case .decimal(let number): try members.encode(number, forKey: key)
            case .instant(let date): try members.encode(date, forKey: key)
            case .flag(let flag): try members.encode(flag, forKey: key)
            case .json(let json): try members.encode(json, forKey: key)
            }
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension OperatorRow.Value {
    fileprivate init(_ column: OperatorColumn, of row: Row) throws {
        let value: Self? =
            switch column.kind {
            case .text, .day: try row.decode(column.name, as: String?.self).map(Self.text)
            case .integer: try row.decode(column.name, as: Int64?.self).map(Self.integer)
            case .decimal: try row.decode(column.name, as: Decimal?.self).map(Self.decimal)
            case .instant: try row.decode(column.name, as: Date?.self).map(Self.instant)
            case .flag: try row.decode(column.name, as: Bool?.self).map(Self.flag)
            case .json: try row.decode(column.name, as: JSON<JSONValue>?.self).map { .json($0.value) }
            }
        self = value ?? .null
    }
}

/// A statement's parameters in the layout that libpq expects.
struct Parameters {
    private let types: [UInt32]
    private let lengths: [Int32]
    private let formats: [Int32]
    private let offsets: [Int?]
    private let bytes: [UInt8]

    init(_ binds: [Query.Bind]) {
        var bytes: [UInt8] = []
        self.offsets = binds.map { bind in
            guard let value = bind.bytes else { return nil }
            defer { bytes += value }
            return bytes.count
        }
        // Adds one byte, so that an empty last value still has an address.
        self.bytes = bytes + [0]
        self.types = binds.map(\.type.rawValue)
        self.lengths = binds.map { Int32($0.bytes?.count ?? 0) }
        self.formats = Array(repeating: 1, count: binds.count)
    }

    func withPointers<T>(
        _ body: ([UInt32], [UnsafePointer<CChar>?], [Int32], [Int32]) -> T
    ) -> T {
        self.bytes.withUnsafeBytes { buffer in
            let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = self.offsets.map { offset in offset.flatMap { base?.advanced(by: $0) } }
            return body(self.types, values, self.lengths, self.formats)
        }
    }
}

/// A named series of whole numbers, with one value for each label of its chart.
struct ChartSeries: Sendable {
    let name: String
    let values: [Int64]
}

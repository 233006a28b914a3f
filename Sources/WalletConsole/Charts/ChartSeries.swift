/// One named row of whole numbers, a value for each label of its chart.
struct ChartSeries: Sendable {
    let name: String
    let values: [Int64]
}

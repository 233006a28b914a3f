/// The target, encoded as `wallet.operator_act` expects it.
extension OperatorAction.Target: Encodable {
    /// Encodes the members that have a value; a class or a product is encoded as its columns.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error that the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(self.userID, forKey: .userID)
        try container.encodeIfPresent(self.environment, forKey: .environment)
        try container.encodeIfPresent(self.bookingID, forKey: .bookingID)
        try container.encodeIfPresent(self.inFull, forKey: .inFull)
        try container.encodeIfPresent(self.claimID, forKey: .claimID)
        try container.encodeIfPresent(self.flagID, forKey: .flagID)
        try container.encodeIfPresent(self.resolution, forKey: .resolution)
        try container.encodeIfPresent(self.inboxID, forKey: .inboxID)
        try container.encodeIfPresent(self.eventID, forKey: .eventID)
        try container.encodeIfPresent(self.tester, forKey: .tester)
        try container.encodeIfPresent(self.classID, forKey: .classID)
        try container.encodeIfPresent(self.productID, forKey: .productID)
        try container.encodeIfPresent(self.classDefinition.map(ClassColumns.init), forKey: .definition)
        try container.encodeIfPresent(self.product.map(ProductColumns.init), forKey: .definition)
    }
}

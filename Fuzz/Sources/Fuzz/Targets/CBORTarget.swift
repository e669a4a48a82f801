import MildamWire

extension FuzzTarget {
    /// Items of deterministic CBOR.
    static let cbor = FuzzTarget(
        name: "cbor",
        source: .network,
        seeds: {
            let map = CBORMap([
                CBORMap.Entry(.integer(-1), .unsigned(1_644_387_225_019)), CBORMap.Entry(.text("k"), .null),
            ])
            let values: [CBORValue] = [
                .unsigned(0), .integer(-500), .bytes([1, 2, 3]), .text("text"), .uri("a:b"), .bool(true), .map(map),
                .array([.array([.unsigned(24), .unsigned(.max)]), .map(map), .bytes([])]),
            ]
            return values.map(\.encoded)
        },
        take: { input in
            guard let value = try? CBORValue(encoded: input) else { return }
            if case .array(let elements) = value { planted(elements.count == 5) }
            mustHold(value.encoded == input, "an item has one encoding")
            mustHold((try? CBORValue(encoded: input + [0])) == nil, "nothing follows an item")
        }
    )
}

import MildamWire

/// Something that reads foreign bytes, and what must hold whatever they are.
struct FuzzTarget: Sendable {
    /// What it is called by.
    let name: String
    /// Where its bytes come from.
    let source: Source
    /// A few inputs that are read to their end, to begin with.
    let seeds: @Sendable () -> [[UInt8]]
    /// Takes an input; traps where something does not hold.
    let take: @Sendable ([UInt8]) -> Void

    /// Where foreign bytes come from. What the network brings, anybody may send at any time: it has twice the time.
    enum Source { case network, file }
}

/// Traps where a property does not hold; what is said goes to standard error, above the fuzzer's own report.
func mustHold(_ isTrue: Bool, _ property: @autoclosure () -> String) {
    guard !isTrue else { return }
    // A trap is how libFuzzer hears of a finding: what is thrown would be lost in it.
    fatalError("does not hold: \(property())")
}

/// The structure that bytes hold, which are its only form; `nil` where they hold none.
func oneForm<Value: WireDecodable & WireEncodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
    guard let value = try? Value(wireBytes: bytes) else { return nil }
    mustHold(value.wireBytes == bytes, "what was read as \(type) is written as it was read")
    return value
}

/// What cannot fail here: its inputs stand in the source.
func must<Value, Failure: Error>(_ body: () throws(Failure) -> Value) -> Value {
    do { return try body() } catch { fatalError("\(error)") }
}

/// In a build with planted faults: traps when the input got as far as this.
@inline(__always)
func planted(_ isReached: @autoclosure () -> Bool) {
    #if PLANTED_FAULT
    // The finding that each target has to make before its own turn.
    if isReached() { fatalError("the planted fault") }
    #endif
}

/// What came of feeding bytes to an incremental reader.
enum Fed<Value: Equatable, Failure: Error & Equatable>: Equatable {
    /// It ended, having taken so many bytes.
    case ended(Value, taken: Int)
    /// It wants more.
    case unfinished(Value)
    case refused(Failure)
}

/// Bytes with changes: each three bytes of `script` name a place, two bytes, and what is added to it bit by bit.
func change(_ bytes: [UInt8], as script: [UInt8]) -> [UInt8] {
    var bytes = bytes
    var rest = script[...]
    while rest.count >= 3 {
        let step = Array(rest.prefix(3))
        bytes[(Int(step[0]) << 8 | Int(step[1])) % bytes.count] ^= step[2]
        rest = rest.dropFirst(3)
    }
    return bytes
}

/// The input with one of its bits changed; which, follows from the input.
func withOneBitFlipped(_ input: [UInt8]) -> [UInt8] {
    var changed = input
    let place = input.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % (8 * input.count)
    changed[place / 8] ^= 1 << (place % 8)
    return changed
}

/// Where to cut an input in two: somewhere that follows from its bytes.
func cut(_ input: [UInt8]) -> Int {
    var sum: UInt32 = 2_166_136_261
    for byte in input { sum = (sum ^ UInt32(byte)) &* 16_777_619 }
    return Int(sum % UInt32(input.count + 1))
}

/// An input whole, in two parts, and, where it is short, byte by byte.
func portions(_ input: [UInt8]) -> [[ArraySlice<UInt8>]] {
    let cut = cut(input)
    var result = [[input[...]], [input[..<cut], input[cut...]]]
    if input.count <= 512 { result.append(input.indices.map { input[$0...$0] }) }
    return result
}

/// Feeds an input in every way of `portions`, and traps unless each gives the same.
func mustBeTheSame<Result: Equatable>(
    _ input: [UInt8],
    _ what: String,
    feed: ([ArraySlice<UInt8>]) -> Result
) -> Result {
    let results = portions(input).map(feed)
    for other in results.dropFirst() {
        mustHold(results[0] == other, "\(what) does not depend on how the bytes are cut")
    }
    return results[0]
}

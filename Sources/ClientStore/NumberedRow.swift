import MildamClientCore
import MildamCrypto
import MildamIdentity
import MildamStorage
import MildamWire

/// Where the rows of a room lie: the room's place and a number are one key, so that they stand in their order, and no index
/// is needed beside them.
enum NumberedRow {
    private static let numberBits: Int64 = 40
    private static let maximumPlace: Int64 = (1 << 23) - 1

    /// The key of a number of a room.
    ///
    /// - Throws: `misuse` for a number above `LogPage.highestNumber`, and for more rooms than 2²³.
    static func key(_ place: Int64, _ number: UInt64) throws(StorageError) -> Int64 {
        guard (1...maximumPlace).contains(place), number <= LogPage.highestNumber else {
            throw .misuse("a number that no room has")
        }
        return place << numberBits | Int64(number)
    }

    /// The keys of all numbers of a room.
    static func keys(_ place: Int64) throws(StorageError) -> ClosedRange<Int64> {
        try key(place, 0)...key(place, LogPage.highestNumber)
    }

    /// The room's place in a key.
    static func place(in key: Int64) -> Int64 { key >> numberBits }

    /// The number in a key.
    static func number(in key: Int64) -> UInt64 { UInt64(key) & LogPage.highestNumber }
}

/// What the rows are sealed with, and found by.
struct RoomKeys {
    let states: RowSealer
    let names: RowSealer
    let outlines: RowSealer
    let welcomes: RowSealer
    let history: RowSealer
    let intents: RowSealer
    let entries: RowSealer
    let positions: RowSealer
    let messages: RowSealer
    let keyPackages: RowSealer
    private let naming: SymmetricKey

    init(rootKey: SymmetricKey, path: String) {
        func sealer(_ table: String) -> RowSealer { RowSealer(rootKey: rootKey, table: table, path: path) }
        (states, names) = (sealer("room_states"), sealer("room_states.room"))
        (outlines, history) = (sealer("room_outlines"), sealer("room_history"))
        (intents, entries) = (sealer("room_intents"), sealer("room_entries"))
        (positions, messages) = (sealer("room_positions"), sealer("room_messages"))
        (welcomes, keyPackages) = (sealer("room_welcomes"), sealer("key_packages"))
        naming = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: rootKey,
            info: Array("mildam/1 room rows' names".utf8),
            outputByteCount: 32
        )
    }

    /// What the file knows a wish by: the first 16 bytes of HMAC-SHA256 over the room and the wish.
    func name(of wish: MessageID, in room: RoomID) -> [UInt8] { name(room.bytes + wish.bytes) }

    /// What the file knows a key package by: the same over its encoding.
    func name(ofKeyPackage bytes: [UInt8]) -> [UInt8] { name(bytes) }

    private func name(_ bytes: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: naming).prefix(16))
    }
}

import MildamCrypto
import MildamWire

/// SHA-256 of a structure.
enum RoomHash {
    static func of(_ structure: some WireEncodable) -> [UInt8] { Array(SHA256.hash(data: structure.wireBytes)) }
}

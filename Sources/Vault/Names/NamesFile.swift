import FoundationEssentials
import Glibc
import MildamCrypto
import MildamFiles
import MildamSystem
import MildamWire

/// One file of the copy of the names: an age file for whoever can open the vault's files, so that `age` shows the names,
/// too. Its text is a line of JSON for each record between two others:
///
/// ```
/// {"vault":"…","number":1,"whole":true}
/// {"mac":"…"}
/// ```
///
/// A whole file makes those before it void. The MAC is HMAC-SHA256 of everything before its line, under a key that is
/// derived from the vault's identity: whoever knows a recipient can write an age file, but not one of these.
struct NamesFile {
    /// Which vault it is of, 16 bytes.
    let vault: [UInt8]
    /// Its place among the others.
    let number: Int
    /// Whether it holds every name.
    let isWhole: Bool
    let records: [NameRecord]

    /// Writes it to a path where nothing is; on the disk when this returns, but for its name.
    ///
    /// - Returns: its size in bytes.
    /// - Throws: `io`, `file`.
    func write(to path: String, for recipients: [any AgeRecipient], under key: SymmetricKey) throws(VaultError) -> Int {
        let text = content(under: key)
        do throws(AgeError) {
            var encryptor = try AgeEncryptor(recipients: recipients)
            return try Self.write(text, &encryptor, to: path)
        } catch .io(let error) {
            throw .io(error)
        } catch {
            throw .file(path, error)
        }
    }

    private static func write(
        _ text: [UInt8],
        _ encryptor: inout AgeEncryptor,
        to path: String
    ) throws(AgeError) -> Int {
        let file: Descriptor
        do throws(SystemError) {
            file = try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL)
        } catch {
            throw .io(error)
        }
        var isWhole = false
        defer { if !isWhole { unsafe unlink(path) } }
        var sealed = encryptor.header.bytes
        var (position, size) = (0, 0)
        repeat {
            let end = min(position + AgeEncryptor.chunkSize, text.count)
            var chunk = Array(text[position..<end])
            try encryptor.seal(&chunk, isLast: end == text.count)
            sealed += chunk
            size += sealed.count
            do throws(SystemError) { try file.write(sealed.span, path: path) } catch { throw .io(error) }
            sealed = []
            position = end
        } while position < text.count
        do throws(SystemError) { try file.synchronize(path: path) } catch { throw .io(error) }
        isWhole = true
        return size
    }

    private func content(under key: SymmetricKey) -> [UInt8] {
        var text = Array("{\"vault\":\"\(Hex.encode(vault))\",\"number\":\(number),\"whole\":\(isWhole)}\n".utf8)
        for record in records { record.append(to: &text) }
        let code = HMAC<SHA256>.authenticationCode(for: text, using: key)
        text += Array("{\"mac\":\"\(Hex.encode(Array(code)))\"}\n".utf8)
        return text
    }
}

extension NamesFile {
    /// How much text is read where no MAC can be checked, in bytes: some 700,000 names. Whoever knows a recipient can write
    /// as much as they like.
    static let maximumUnproven = 1 << 28

    /// Reads one.
    ///
    /// - Parameters:
    ///   - keys: those that its MAC may be under; empty where nobody knows them any more.
    ///   - identities: one of them opens it.
    ///   - monitor: asked whether to stop.
    /// - Throws: `io`, `cancelled`; `file` with `differentCiphertext` for what is none, or whose MAC is under none of the keys.
    init(
        at path: String,
        number: Int,
        opening identities: [any AgeIdentity],
        under keys: [SymmetricKey],
        _ monitor: FileMonitor = FileMonitor()
    ) throws(VaultError) {
        var reading = NamesReading(keys)
        do throws(AgeError) {
            let reader = try AgeReader(path, identities: identities)
            if keys.isEmpty {
                guard reader.size <= Self.maximumUnproven else { throw .differentCiphertext }
            } else {
                // Whoever knows a recipient can write a long one: nothing is kept of it before the MAC is checked.
                var proof = NamesReading(keys, keeping: false)
                try Self.read(reader, into: &proof, monitor)
                guard proof.isEnded else { throw .differentCiphertext }
            }
            try Self.read(reader, into: &reading, monitor)
        } catch .cancelled {
            throw .cancelled
        } catch .io(let error) {
            throw .io(error)
        } catch {
            throw .file(path, error)
        }
        guard let head = reading.head, reading.isEnded, head.number == number else {
            throw .file(path, .differentCiphertext)
        }
        vault = head.vault
        self.number = number
        isWhole = head.isWhole
        records = reading.records
    }

    private static func read(
        _ reader: AgeReader,
        into reading: inout NamesReading,
        _ monitor: FileMonitor
    ) throws(AgeError) {
        var position = 0
        while position < reader.size {
            guard !monitor.isCancelled() else { throw .cancelled }
            let end = min(position + AgeEncryptor.chunkSize, reader.size)
            guard reading.take(try reader.read(position..<end)) else { throw .differentCiphertext }
            position = end
        }
    }

    /// The key of the MAC that stands in files for an identity.
    static func key(of identity: AgeX25519Identity) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(identity.secretTextBytes),
            info: Array("mildam/1 vault names copy".utf8),
            outputByteCount: 32
        )
    }
}

/// Reads the text of a file of names, line by line.
struct NamesReading {
    /// What the first line says.
    private(set) var head: (vault: [UInt8], number: Int, isWhole: Bool)?
    private(set) var records: [NameRecord] = []
    /// Whether the line of the MAC was read, and is right.
    private(set) var isEnded = false
    private let isKeeping: Bool
    private let isProven: Bool
    private var codes: [HMAC<SHA256>]
    /// The beginning of a line.
    private var line: [UInt8] = []

    /// - Parameters:
    ///   - keys: those that the MAC may be under; empty where nobody knows them.
    ///   - isKeeping: whether to keep the records.
    init(_ keys: [SymmetricKey], keeping isKeeping: Bool = true) {
        self.isKeeping = isKeeping
        isProven = !keys.isEmpty
        codes = keys.map { HMAC<SHA256>(key: $0) }
    }

    /// Takes the next part of the text.
    ///
    /// - Returns: whether it can go on like this.
    mutating func take(_ text: [UInt8]) -> Bool {
        for byte in text {
            line.append(byte)
            guard byte == UInt8(ascii: "\n") else {
                if line.count > NameRecord.maximumSize { return false }
                continue
            }
            guard !isEnded, takeLine() else { return false }
            line.removeAll(keepingCapacity: true)
        }
        return true
    }

    private mutating func takeLine() -> Bool {
        let line = line
        defer { for place in codes.indices { codes[place].update(data: line) } }
        guard head != nil else { return takeHead(line.span) }
        if let record = NameRecord(line.span) {
            if isKeeping { records.append(record) }
            return true
        }
        guard let node = try? JSONReader.read(line.span), let text = node["mac"]?.string(in: line.span),
            let code = try? Hex.decode(text), code.count == SHA256.byteCount
        else { return false }
        isEnded = !isProven || codes.contains { $0.finalize() == code }
        return isEnded
    }

    private mutating func takeHead(_ line: Span<UInt8>) -> Bool {
        guard let node = try? JSONReader.read(line), let isWhole = node["whole"]?.flag,
            let vault = node["vault"]?.string(in: line).flatMap({ try? Hex.decode($0) }), vault.count == 16,
            let number = node["number"]?.integer(in: line), number > 0
        else { return false }
        head = (vault, Int(number), isWhole)
        return true
    }
}

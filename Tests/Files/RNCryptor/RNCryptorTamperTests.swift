import MildamCrypto
import MildamFiles
import TestSupport
import Testing

@Suite("RNCryptor: files that were changed")
struct RNCryptorTamperTests {
    private let content = Array("forty bytes of content, three blocks ...".utf8)

    private func outcome(
        _ file: [UInt8],
        _ secret: borrowing RNCryptorSecret
    ) -> Result<[UInt8], RNCryptorError> {
        do {
            return .success(try RNCryptorFile.decrypt(file, secret: secret).content)
        } catch {
            return .failure(error)
        }
    }

    private func secret(_ text: String?) -> RNCryptorSecret {
        if let text { return password(text) }
        return fixedSecret()
    }

    /// The file with one bit of each byte changed; with keys, which cost nothing, or for a proof, with each bit.
    private func changes(of file: [UInt8], everyBit: Bool) -> [(position: Int, bit: UInt8, file: [UInt8])] {
        var generator = Seed.generator(for: "rncryptor bits")
        return file.indices.flatMap { position in
            let bits = everyBit ? Array(0..<8) : [Int.random(in: 0..<8, using: &generator)]
            return bits.map { bit in
                var changed = file
                changed[position] ^= 1 << bit
                return (position: position, bit: UInt8(1) << bit, file: changed)
            }
        }
    }

    @Test("A file that ends at any byte is refused", arguments: [UInt8(1), 2, 3])
    func cuts(version: UInt8) throws {
        let file = try RNCryptorMaker.version(version, nil).file(content)
        for count in 0..<file.count {
            let size = count - 18 - 32
            let error: RNCryptorError =
                if count < 2 {
                    .notRNCryptor
                } else if size <= 0 || !size.isMultiple(of: 16) {
                    .truncated
                } else {
                    .authenticationFailed
                }
            #expect(outcome(Array(file[..<count]), fixedSecret()) == .failure(error), "\(count) bytes")
        }
        #expect(outcome(file, fixedSecret()) == .success(content))
    }

    @Test("Bytes after the end are refused")
    func longer() throws {
        for added in [1, 16, 32] {
            let file = try RNCryptorMaker.version(3, nil).file(content) + [UInt8](repeating: 0, count: added)
            #expect(throws: RNCryptorError.self) { try RNCryptorFile.decrypt(file, secret: fixedSecret()) }
        }
    }

    @Test("Versions 2 and 3: one bit changed anywhere is refused", arguments: [UInt8(2), 3], [nil, "password"])
    func authenticated(version: UInt8, text: String?) throws {
        let file = try RNCryptorMaker.version(version, text).file(content)
        let everyBit = text == nil || Count.of(few: 0, full: 1) == 1
        for change in changes(of: file, everyBit: everyBit) {
            guard case .failure(let error) = outcome(change.file, secret(text)) else {
                Issue.record("byte \(change.position), bit \(change.bit)")
                continue
            }
            // The version's own bits, 2 and 3, lead to one another; the others name something else.
            if change.position >= 2 { #expect(error == .authenticationFailed) }
        }
    }

    @Test("Version 1: the IV flips bits of the first block, the encryption salt makes noise, all else is refused")
    func version1() throws {
        let file = try RNCryptorMaker.version(1, "password").file(content)
        var noise = 0
        for change in changes(of: file, everyBit: Count.of(few: 0, full: 1) == 1) {
            let outcome = outcome(change.file, password("password"))
            switch change.position {
            case 0, 1:
                #expect((try? outcome.get()) == nil)
            case 2..<10:
                // Another key: the padding is right by chance only.
                if let opened = try? outcome.get() {
                    noise += 1
                    #expect(opened != content)
                } else {
                    #expect(outcome == .failure(.authenticationFailed))
                }
            case 18..<34:
                var flipped = content
                flipped[change.position - 18] ^= change.bit
                #expect(outcome == .success(flipped))
            default:
                #expect(outcome == .failure(.authenticationFailed))
            }
        }
        #expect(noise <= 4)
    }

    @Test("Version 1 with less than a block: the IV may also move the end")
    func version1Short() throws {
        let file = try RNCryptorMaker.version(1, nil).file(Array("short".utf8))
        // Eleven bytes of padding; the last byte of the block becomes 1, which is a padding as well.
        var changed = file
        changed[2 + 15] ^= 11 ^ 1
        let padding = [UInt8](repeating: 11, count: 10)
        #expect(outcome(changed, fixedSecret()) == .success(Array("short".utf8) + padding))
        changed = file
        changed[2 + 15] ^= 1
        #expect(outcome(changed, fixedSecret()) == .failure(.authenticationFailed))
        changed = file
        changed[2] ^= 0x20
        #expect(outcome(changed, fixedSecret()) == .success(Array("Short".utf8)))
    }

    @Test("Version 0, counting: encryption salt and IV make noise, all else is refused")
    func version0() throws {
        let maker = RNCryptorMaker(mark: [0, 0], password: Array("password".utf8), isCounting: true)
        let file = try maker.file(content)
        for change in changes(of: file, everyBit: Count.of(few: 0, full: 1) == 1) {
            let outcome = outcome(change.file, password("password"))
            switch change.position {
            case 0, 1: #expect((try? outcome.get()) == nil)
            case 2..<10, 18..<34: #expect(try outcome.get() != content && outcome.get().count == content.count)
            default: #expect(outcome == .failure(.authenticationFailed))
            }
        }
    }

    @Test("Random bytes at random places: versions 2 and 3 never open, version 1 only by its header")
    func random() throws {
        var generator = Seed.generator(for: "rncryptor random bytes")
        let files = try (UInt8(1)...3).map { try RNCryptorMaker.version($0, nil).file(generator.bytes(1000)) }
        let originals = files.map { outcome($0, fixedSecret()) }
        var opened = [0, 0, 0]
        let tries = Count.of(few: 3000, full: 300_000)
        for _ in 0..<tries {
            let index = Int.random(in: 0..<3, using: &generator)
            var file = files[index]
            let position = Int.random(in: file.indices, using: &generator)
            file[position] ^= UInt8.random(in: 1...255, using: &generator)
            let outcome = outcome(file, fixedSecret())
            guard let content = try? outcome.get() else { continue }
            opened[index] += 1
            #expect(index == 0 && (2..<18).contains(position))
            #expect(try content.dropFirst(16) == originals[index].get().dropFirst(16))
        }
        print("RNCryptor: of \(tries) changed files, \(opened) of versions 1, 2 and 3 opened")
        #expect(opened[0] > 0 && opened[1] == 0 && opened[2] == 0)
    }

    @Test("Wrong passwords, keys and halves of keys are one error")
    func wrongSecrets() throws {
        for version in UInt8(1)...3 {
            let file = try RNCryptorMaker.version(version, "password").file(content)
            for text in ["", "passwor", "password ", "Password", "passw\u{f6}rd"] {
                #expect(outcome(file, password(text)) == .failure(.authenticationFailed))
            }
            let keyed = try RNCryptorMaker.version(version, nil).file(content)
            let other = SymmetricKey(data: [UInt8](repeating: 9, count: 32))
            for (encryption, hmac) in [(fixedKeys.encryption, other), (other, other), (other, fixedKeys.hmac)] {
                #expect(outcome(keyed, .keys(encryption: encryption, hmac: hmac)) == .failure(.authenticationFailed))
            }
        }
    }
}

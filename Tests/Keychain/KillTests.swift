import Foundation
import Glibc
import MildamKeychain
import TestSupport
import Testing

@Suite("kill -9 and power cuts")
struct KillTests {
    /// What a keychain holds by what the worker said: the secret of each account, and the passphrase.
    struct Expected: Equatable {
        var secrets: [Int: String] = [:]
        var passphrase = 0

        mutating func apply(_ change: String) {
            let words = change.split(separator: " ")
            guard words.count == 2, let number = Int(words[1]) else { return }
            switch words[0] {
            case "add": secrets[number] = "\(number)"
            case "update", "restore": secrets[number] = "\(number) again"
            case "delete", "trash": secrets[number] = nil
            case "passphrase": passphrase = number
            default: break
            }
        }
    }

    @Test func aKilledProgramLeavesTheOldStateOrTheNew() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("keychain.db")
        _ = try await LocalKeychain.create(at: path, secret: passphrase(0), costs: .least)
        var generator = Seed.generator(for: "kill")
        var expected = Expected()
        var cut: [String: Int] = [:]
        for _ in 0..<Count.of(few: 10, full: 200) {
            let worker = try Program("mildam-keychain-worker", [path, "\(expected.passphrase)"])
            guard try await worker.line(with: "ready") != nil else {
                Issue.record("the keychain does not open: \(try await worker.end())")
                return
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 1...120, using: &generator)))
            worker.signal(SIGKILL)
            let said = try await worker.end().output
            for copy in try LocalKeychain.copies(of: path) {
                #expect(throws: Never.self, "a copy that was cut short") { _ = try copy.itemCount() }
            }
            let (old, new) = states(expected, said)
            let found = try await contents(path, old, new)
            #expect(found == old || found == new, "\(said.suffix(200))")
            expected = found
            if old != new, let begun = said.split(separator: "\n").last(where: { $0.hasPrefix("begin ") }) {
                let kind = begun.split(separator: " ")[1]
                cut["\(kind) \(found == old ? "undone" : "done")", default: 0] += 1
            }
        }
        print("killed within a change: \(cut)")
        let kinds = Set(cut.keys.compactMap { $0.split(separator: " ").first })
        #expect(kinds.count >= Count.of(few: 1, full: 4), "no kill hit a change of each kind: \(cut)")
    }

    /// Each sees what the other has changed, and neither undoes it.
    @Test func twoWritersAtOnce() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("keychain.db")
        _ = try await LocalKeychain.create(at: path, secret: passphrase(0), costs: .least)
        let services = ["one", "two"]
        let workers = try services.map { try Program("mildam-keychain-worker", [path, "0", $0]) }
        let goal = Count.of(few: 15, full: 200)
        for worker in workers {
            #expect(try await worker.line(with: "done update \(goal)", within: 120) != nil, "a writer gave up")
        }
        for worker in workers { worker.signal(SIGKILL) }
        for (service, worker) in zip(services, workers) {
            let said = try await worker.end()
            #expect(said.errors.isEmpty, "\(said.errors)")
            let (old, new) = states(Expected(), said.output)
            let found = try await contents(path, old, new, of: service)
            #expect(found == old || found == new, "\(service): \(said.output.suffix(200))")
        }
    }

    @Test func aPowerCutLosesNothingThatWasAcknowledged() async throws {
        for round in 0..<Count.of(few: 2, full: 20) {
            let folder = try TemporaryFolder()
            let path = folder.file("keychain.db")
            _ = try await LocalKeychain.create(at: path, secret: passphrase(0), costs: .least)
            let disk = try PowerCut(following: folder.path)
            let worker = try Program(
                "mildam-keychain-worker",
                [path, "0"],
                environment: disk.environment
            )
            guard try await worker.line(with: "ready") != nil else {
                Issue.record("the keychain does not open: \(try await worker.end())")
                return
            }
            try await Task.sleep(for: .milliseconds(150 + 37 * round))
            worker.signal(SIGKILL)
            let said = try await worker.end().output
            #expect(said.contains("done add 1"), "nothing was acknowledged before the cut")
            let (old, new) = states(Expected(), said)
            let restored = try disk.restored()
            let found = try await contents(restored.file("keychain.db"), old, new)
            #expect(found == old || found == new, "\(said.suffix(200))")
        }
    }

    private func passphrase(_ number: Int) -> SlotSecret {
        .passphrase(SecretValue(text: "passphrase \(number)"))
    }

    /// The state with what was acknowledged, and the one with what was begun besides.
    private func states(_ before: Expected, _ said: String) -> (old: Expected, new: Expected) {
        var (old, new) = (before, before)
        for line in said.split(separator: "\n") {
            if line.hasPrefix("begin ") {
                new = old
                new.apply(String(line.dropFirst(6)))
            } else if line.hasPrefix("done ") {
                old.apply(String(line.dropFirst(5)))
                new = old
            }
        }
        return (old, new)
    }

    private func opens(_ keychain: LocalKeychain, _ number: Int) async -> Bool {
        (try? await keychain.unlock(passphrase(number))) != nil
    }

    private func items(_ keychain: LocalKeychain, _ service: String) throws -> [KeychainItem] {
        do throws(KeychainError) {
            return try keychain.copyMatching(.genericPassword(service: service), limit: .all)
        } catch .itemNotFound {
            return []
        }
    }

    /// What is in the file, which one of two passphrases opens and in which every row is sound.
    private func contents(
        _ path: String,
        _ old: Expected,
        _ new: Expected,
        of service: String = "kill"
    ) async throws -> Expected {
        var options = LocalKeychain.Options()
        options.isOwner = true  // the items are the worker's
        let keychain = try LocalKeychain(path: path, options: options)
        var found = Expected()
        found.passphrase = old.passphrase
        if await !opens(keychain, old.passphrase) {
            found.passphrase = new.passphrase
            #expect(await opens(keychain, new.passphrase))
        }
        #expect(try keychain.verify().isSound)
        #expect(try keychain.slots().count == 1)
        for item in try items(keychain, service) {
            let account = item.attributes.text(.account).flatMap(Int.init)
            found.secrets[try #require(account)] = item.secret?.text
        }
        return found
    }
}

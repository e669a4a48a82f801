import Glibc
import MildamCrypto
import MildamSystem
import MildamWire

@testable import MildamKeychain

/// Programs that ask an agent, which keeps a new keychain in a file, one request after the other.
final class Conversation {
    /// Who asks: the keychain's owner, and two other programs.
    static let callers = [
        Caller(program: ProgramIdentity(executable: "/bin/owner", user: 1), isOwner: true),
        Caller(program: ProgramIdentity(executable: "/bin/a", user: 1), isOwner: false),
        Caller(program: ProgramIdentity(executable: "/bin/b", user: 1), isOwner: false),
    ]

    private let keychain: LocalKeychain
    private let agent: KeychainAgent

    init() throws(KeychainError) {
        let file = Self.file
        do throws(SystemError) { try WholeFile.write(file.span, to: Self.path) } catch { throw .io(error) }
        keychain = try Self.open()
        agent = KeychainAgent(keychain)
    }

    /// Has a request answered; traps where the answer is not what it may be.
    func ask(_ request: AgentRequest, as caller: Caller) {
        let scope = caller.scope(keychain.core.withLock { $0.grants })
        let reply = answer(request, caller)
        mustHold(oneForm(AgentReply.self, reply.wireBytes) != nil, "an answer can be read")
        if case .failed(let error) = reply {
            return mustHold(isExpected(error), "nothing but the request is wrong: \(error)")
        }
        mustHold(caller.isOwner || !request.isForOwner, "what is the owner's to ask for, is refused to others")
        mustHold((try? request.check()) != nil, "what a program refuses to send, the agent refuses to do")
        switch (request, reply) {
        case (.copyMatching(let query, let limit, let returningSecrets), .items(let items)):
            planted(!items.isEmpty && limit != .atMost(Int(UInt32.max)))
            mustHold(!items.isEmpty && items.count <= limit.count, "as many items are found as were asked for")
            for item in items {
                mustHold(item.attributes.include(query.attributes), "an item has the attributes that it was found by")
                mustHold(scope.contains(item.accessGroup), "nobody is given items of a group that is not theirs")
                mustHold((item.secret != nil) == returningSecrets, "a secret comes when it was asked for")
            }
        case (.add(let item), .reference(let reference)), (.set(let item), .reference(let reference)):
            guard case .items(let found) = answer(.matching(KeychainQuery(reference), returningSecrets: true), caller)
            else {
                return mustHold(false, "what was written is there")
            }
            mustHold(found[0].secret?.constantTimeEquals(item.secret) ?? false, "what was written is read")
            mustHold(found[0].accessibility == item.accessibility, "what was written is read")
            var wanted = item.attributes
            for kept in [ItemAttribute.creationDate, .modificationDate] { wanted[kept] = found[0].attributes[kept] }
            mustHold(found[0].attributes.include(wanted), "what was written is read")
        case (.delete(let query), .count(let count)):
            mustHold(count > 0, "an item was deleted")
            guard case .failed(.itemNotFound) = answer(.matching(query, returningSecrets: false), caller) else {
                return mustHold(false, "what was deleted is gone")
            }
        case (.update, .count(let count)): mustHold(count > 0, "an item was changed")
        case (.trash(let reference), .past(let items)):
            mustHold(items.count == 1 && items[0].isRemoved, "what was removed is kept")
            mustBeGone(reference, caller)
        case (.erase(let reference), .done):
            mustBeGone(reference, caller)
            guard case .past(let items) = answer(.past(of: reference), caller) else {
                return mustHold(false, "what is kept of an item is listed")
            }
            mustHold(items.isEmpty, "nothing is kept of what was removed for good")
        case (.past, .past(let items)):
            for past in items {
                mustHold(scope.contains(past.item.accessGroup), "nobody is told of items that are not theirs")
            }
        case (.restore, .reference(let reference)):
            guard case .items = answer(.matching(KeychainQuery(reference), returningSecrets: true), caller) else {
                return mustHold(false, "what was put back is there")
            }
        case (.replace, .done), (.pastSecret, .secret): break
        case (.forget, .count(let count)): mustHold(count >= 0, "so many went")
        case (.verify, .report(let report)): mustHold(report.isSound, "a keychain stays sound")
        case (.grants, .grants), (.auditLog, .auditLog), (.state, .state): break
        case (.hello, .agent(let info)):
            mustHold(info.isOwner == caller.isOwner, "a program is told whether it is the owner's")
        case (.close, .done): mustHold(keychain.state == .closed, "a keychain that was closed is closed")
        case (.readable, .count(let count)):
            mustHold(count >= 0 && (count == 0 || keychain.state != .closed), "of a closed keychain nothing is read")
        case (.lock, .done), (.unlock, .done), (.stop, .done), (.grant, .done), (.revoke, .done): break
        default: mustHold(false, "an answer is to what was asked")
        }
    }

    /// Looks at what was left, and at whether it opens once more.
    func end() {
        _ = answer(.unlock(.enclaveUnattended), Self.callers[0])
        let report = try? keychain.verify()
        mustHold(report?.isSound ?? false, "a keychain stays sound")
        let again = try? Self.open().verify()
        mustHold(again == report, "a keychain is the same when it is opened again")
    }

    /// Removes the file and its copies, once nobody has it open.
    static func forget() {
        let copies = path + ".copies"
        for name in Folder.names(in: copies) { unsafe unlink(copies + "/" + name) }
        unsafe rmdir(copies)
        unsafe unlink(path)
    }

    /// Argon2id is left out: opening is done with the keys themselves.
    private func answer(_ request: AgentRequest, _ caller: Caller) -> AgentReply {
        guard case .unlock(let secret) = request else { return agent.answer(request, caller) }
        do throws(KeychainError) {
            try secret.check()
            try keychain.core.withLock { (core) throws(KeychainError) in try core.open(Self.content) }
            return .done
        } catch {
            return .failed(error)
        }
    }

    private func mustBeGone(_ reference: ItemReference, _ caller: Caller) {
        let query = AgentRequest.matching(KeychainQuery(reference), returningSecrets: false)
        guard case .failed(.itemNotFound) = answer(query, caller) else {
            return mustHold(false, "what was removed is gone")
        }
    }

    private func isExpected(_ error: KeychainError) -> Bool {
        switch error {
        case .duplicateItem, .itemNotFound, .invalidRequest, .accessGroupDenied, .changedMeanwhile: true
        case .ambiguousItem(let numbers): numbers.count > 1
        case .locked: keychain.state != .unlocked
        default: false
        }
    }

    // MARK: The keychain

    private static let content = KeySlot.Content(
        main: SymmetricKey(data: [UInt8](repeating: 1, count: 32)),
        passcode: SymmetricKey(data: [UInt8](repeating: 2, count: 32))
    )

    /// In memory, where nothing is to be waited for.
    private static let path: String = {
        let folder = "/dev/shm/mildam-fuzz-\(getpid())"
        must { () throws(SystemError) in try Folder.create(folder) }
        atexit { _ = unsafe rmdir("/dev/shm/mildam-fuzz-\(getpid())") }
        return folder + "/keychain"
    }()

    /// A keychain without an item.
    private static let file: [UInt8] = {
        guard let identifier = KeychainIdentifier([UInt8](repeating: 3, count: 16)) else { fatalError("16 bytes") }
        let slot = SlotRow(number: 1, parameters: [1], sealed: [1])
        let path = Conversation.path
        must { () throws(KeychainError) in try LocalKeychain.lay(identifier, slot, content, at: path, clock) }
        return must { () throws(SystemError) in
            defer { unsafe unlink(path) }
            return try WholeFile.read(path, limit: 1 << 20)
        }
    }()

    private static let clock = WallClock { 1_700_000_000_000 }

    private static func open() throws(KeychainError) -> LocalKeychain {
        var options = LocalKeychain.Options()
        options.isAgent = true
        options.clock = clock
        let keychain = try LocalKeychain(path: path, options: options)
        try keychain.core.withLock { (core) throws(KeychainError) in try core.open(content) }
        return keychain
    }
}

extension AgentRequest {
    fileprivate static func matching(_ query: KeychainQuery, returningSecrets: Bool) -> AgentRequest {
        .copyMatching(query, limit: .all, returningSecrets: returningSecrets)
    }
}

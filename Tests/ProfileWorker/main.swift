// A program with an agent of its own, as `mildam` is one: an agent takes for its owner's only the program that it is.
//
//     mildam-profile-worker agent FOLDER
//     mildam-profile-worker open FOLDER PASSPHRASE [moving]    prints the root key, after moving it to the keychain
//     mildam-profile-worker unlock FOLDER PASSPHRASE           unlocks the keychain in the agent
//     mildam-profile-worker stop FOLDER                        ends the agent
//     mildam-profile-worker hold FOLDER                        holds the profile's lock until it is killed

import Glibc
import MildamKeychain
import MildamProfile
import MildamSystem

struct Answers: KeychainQuestions {
    let passphrase: String

    func secret(of kind: SlotKind) -> SecretValue {
        print("asked")
        return SecretValue(text: passphrase)
    }
}

func hold(_ lock: borrowing ProcessLock) -> Never {
    print("held")
    fflush(nil)
    while true { pause() }
}

let arguments = CommandLine.arguments
let place = ProfilePlace(folder: arguments[2])
let program = AgentProgram(path: ProgramIdentity.own.executable, arguments: ["agent", place.folder], environment: [:])
do {
    switch arguments[1] {
    case "agent":
        var options = try place.keychain.options()
        options.isOwner = false
        options.isAgent = true
        let server = try AgentServer(LocalKeychain(path: place.keychain.path, options: options), at: place.agentSocket)
        try Daemon.reportReady()
        try server.run()
    case "open":
        let profile = try await OpenProfile(
            at: place,
            agent: program,
            asking: Answers(passphrase: arguments[3])
        )
        if arguments.last == "moving", try await profile.moveRootKey(sealingAnew: { true }) { print("moved") }
        let key = try profile.rootKey.rootKey(making: true)
        print("key", unsafe key.withUnsafeBytes { unsafe [UInt8]($0) })
    case "unlock":
        _ = try await place.keychain.openAgent(of: program, asking: Answers(passphrase: arguments[3]))
    case "stop":
        for agent in place.keychain.everyAgent().agents { try agent.end() }
    default:
        hold(try await place.waitForLock())
    }
} catch {
    print("failed: \(error)")
    exit(1)
}

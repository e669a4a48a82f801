import Foundation
import MildamKeychain

// Changes a keychain without end, and says before and after each change which one it is: whoever kills it knows what was
// begun and what was acknowledged. Its arguments: the file, the passphrase's first number, and, where another one works
// on the same file, the service of its items; then it leaves the passphrase alone.
//
// For each number n: add "n"; update its secret to "n again"; remove it, and put it back; every sixteenth time change the
// passphrase to "passphrase n"; delete "n" unless n is a multiple of three.

func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}

func passphrase(_ number: Int) -> SlotSecret { .passphrase(SecretValue(text: "passphrase \(number)")) }

let path = CommandLine.arguments[1]
var current = Int(CommandLine.arguments[2]) ?? 0
let isAlone = CommandLine.arguments.count == 3
let service = isAlone ? "kill" : CommandLine.arguments[3]
let keychain = try LocalKeychain(path: path)
try await keychain.unlock(passphrase(current))
let query = KeychainQuery.genericPassword(service: service)
let known = try? keychain.copyMatching(query, limit: .all, returningSecrets: false)
var number = (known ?? []).compactMap { $0.attributes.text(.account).flatMap(Int.init) }.max() ?? 0
say("ready")
while true {
    number += 1
    let query = KeychainQuery.genericPassword(service: service, account: "\(number)")
    say("begin add \(number)")
    let reference = try keychain.add(
        NewItem(
            .genericPassword,
            [.service: .text(service), .account: .text("\(number)")],
            secret: SecretValue(text: "\(number)")
        )
    )
    say("done add \(number)")
    say("begin update \(number)")
    try keychain.update(query, ItemChange(secret: SecretValue(text: "\(number) again")))
    say("done update \(number)")
    say("begin trash \(number)")
    let past = try keychain.trash(reference)
    say("done trash \(number)")
    say("begin restore \(number)")
    try keychain.restore(past.number)
    say("done restore \(number)")
    if isAlone, number.isMultiple(of: 16) {
        say("begin passphrase \(number)")
        try await keychain.replaceSlot(passphrase(current), with: passphrase(number), costs: .least)
        current = number
        say("done passphrase \(number)")
    }
    if !number.isMultiple(of: 3) {
        say("begin delete \(number)")
        try keychain.delete(query)
        say("done delete \(number)")
    }
}

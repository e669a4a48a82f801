// The rooms of a profile, listed by a program that has nothing but the libraries. Where the profile's key is in its
// keychain, the keychain is opened by this program itself, which asks for what opens it.

import Foundation
import Glibc
import MildamKeychain
import MildamMessenger
import MildamProfile

struct Questions: KeychainQuestions {
    func secret(of kind: SlotKind) -> SecretValue {
        SecretValue(text: getpass("Keychain (\(kind)): ").map { String(cString: $0) } ?? "")
    }
}

let place = try ProfilePlace(environment: ProcessInfo.processInfo.environment)
let profile = try await OpenProfile(at: place, asking: Questions())
let rooms = try await GroupRooms(of: Messenger(profile: profile))
for room in await rooms.rooms() {
    print("\(room.room)  \(room.standing)  \(room.info?.name ?? "")")
}

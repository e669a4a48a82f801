// The relay and the client with a database that is synced less often than ours: what they acknowledge can be lost in a
// power cut, which is how the power-cut tests show that they would notice. A relay whose access tokens live some seconds
// only is for tests that outlive them. Never installed; no product names it.
//
//     mildam-weakened relay FULL|NORMAL|OFF DATA [SECONDS]
//     mildam-weakened send FULL|NORMAL|OFF PROFILE ROOM TEXT

import Glibc
import MildamClientCore
import MildamContent
import MildamIdentity
import MildamMessenger
import MildamProfile
import MildamRelay
import MildamStorage
import MildamTransport

/// Says something at once, in one write.
func say(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
}

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count >= 3, let task = arguments.first,
    let synchronous = arguments.dropFirst().first.flatMap(Database.Options.Synchronous.init)
else { exit(2) }
let rest = Array(arguments.dropFirst(2))
do {
    switch task {
    case "relay":
        var configuration = RelayConfiguration(dataFolder: rest[0], address: .loopback(port: 0))
        configuration.synchronous = synchronous
        if let seconds = rest.dropFirst().first.flatMap(Int64.init) { configuration.accessLifetime = seconds }
        let server = try RelayServer(configuration)
        say("listening on \(server.url)  relay \(server.relay)")
        // Until it is killed.
        while true { pause() }
    case "send" where rest.count == 3:
        let (name, text) = (rest[1], try TextContent(rest[2]))
        let messenger = Messenger(profile: OpenProfile(folder: rest[0]), synchronous: synchronous)
        let rooms = try await GroupRooms(of: messenger)
        guard let room = await rooms.rooms().first(where: { $0.info?.name == name })?.room else { exit(1) }
        try await rooms.wish(.say(text.part, inReplyTo: nil, blobs: []), in: room, as: .random())
        say("kept")
    default:
        exit(2)
    }
} catch {
    say("failed: \(error)")
    exit(1)
}

import Glibc

// mildam-bench --programs FOLDER --disk FOLDER --memory FOLDER [SECTION…]
// Prints one table; its status is 1 when a goal is not met.

let sections = [
    "primitives", "sends", "serving", "rooms", "files", "vault", "keychain", "enclave", "otp", "proofs", "mls",
    "programs",
]
if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "answer" {
    // The other end of a round trip, which this program starts itself.
    try RoundTrip.answer(at: CommandLine.arguments[2])
    exit(0)
}
var options: [String: String] = [:]
var wanted: [String] = []
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    if argument.hasPrefix("--") { options[argument] = arguments.popFirst() } else { wanted.append(argument) }
}
guard let programs = options["--programs"], let disk = options["--disk"], let memory = options["--memory"],
    wanted.allSatisfy(sections.contains)
else {
    print("usage: mildam-bench --programs FOLDER --disk FOLDER --memory FOLDER [\(sections.joined(separator: "|"))]...")
    exit(2)
}
if wanted.isEmpty { wanted = sections }

do {
    var figures: [Figure] = []
    for section in wanted {
        switch section {
        case "primitives": figures += try await Primitives.figures()
        case "sends": figures += try await Sends.figures(relay: programs + "/mildam-relay", in: disk)
        case "serving": figures += try await Serving.figures(programs: programs, in: disk)
        case "rooms": figures += try await Rooms.figures(programs: programs, in: disk)
        case "files": figures += try await Files.figures(in: memory)
        case "vault": figures += try await Vaults.figures(in: disk, memory)
        case "keychain":
            figures += try await Keychains.figures(mildam: programs + "/mildam", in: disk, memory)
        case "enclave": figures += try await Enclaves.figures(in: memory)
        case "otp": figures += try await OneTimeCodes.figures()
        case "proofs": figures += try await Proofs.figures()
        case "mls": figures += try await MLSFigures.figures()
        default:
            figures += try await Programs.figures(mildam: programs + "/mildam", relay: programs + "/mildam-relay")
        }
    }
    print(table(figures))
    if wanted.contains("programs") {
        print("\nmildam-relay is linked to: \(try Programs.libraries(of: programs + "/mildam-relay"))")
    }
    exit(figures.contains { $0.isMet == false } ? 1 : 0)
} catch {
    print("mildam-bench: \(error)")
    exit(1)
}

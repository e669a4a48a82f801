import MildamIdentity
import MildamRelay
import MildamTerminal

/// `mildam-relay restore`.
let restore = RelayCommand(
    ["restore"],
    summary: "Say that the data was put back from a copy.",
    discussion: """
        Once a copy of the data folder lies where the relay looks for it, and before the relay is started: clients are told \
        that it went back, and for a day members of rooms give back what it lacks, under the numbers that it had. Nothing of the \
        copy is changed but that.
        """,
    options: [dataOption, jsonOption],
    examples: [.init("mildam-relay restore --data /srv/mildam", "Then start it as ever.")],
    exitNotes: [
        .init(.notFound, "there is no relay's data in the folder"),
        .init(.refused, "a relay runs on the folder"),
        .init(.damaged, "the copy is not whole"),
    ],
    run: Users.doing { users in
        guard let folder = users.invocation.value("data") ?? Serve.defaultFolder() else { throw Users.Failure.absurd }
        let incarnation = try RelayRestore(dataFolder: folder).perform()
        try users.answer(Restored(incarnation: incarnation)) {
            "put back; for a day from now its members give back what it lacks"
        }
    }
)

private struct Restored: Encodable {
    /// Which store it is from here on.
    let incarnation: IncarnationID
}

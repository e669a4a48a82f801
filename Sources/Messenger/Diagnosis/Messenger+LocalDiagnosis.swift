import MildamStorage
import MildamSystem

/// What is examined of a profile without its relay.
extension Messenger {
    /// The write-ahead log of a database grows to 1,000 pages of 4 KiB before it is moved into it.
    private static let leastRoom = 4 << 20
    /// A command makes a handful of files.
    private static let leastFiles = 16

    /// Examines the disk that the profile lies on; nothing where the profile has no folder.
    func examineDisk(_ findings: inout Findings) {
        let folder = profile.place.folder
        guard Folder.isFolder(folder) else { return }
        do throws(SystemError) {
            let room = try DiskRoom(at: folder)
            let free = room.totalBytes > 0 ? "\(room.freeBytes / 1_048_576) MiB are free" : "it has no limit"
            if room.isReadOnly {
                findings.wrong(
                    .disk,
                    "the disk of \(folder) is mounted for reading only",
                    "have it mounted for writing, or move the profile to another",
                    code: "read-only"
                )
            } else if room.freeBytes < Self.leastRoom {
                findings.wrong(.disk, "the disk of \(folder) is full: \(free)", "make room on it", code: "disk-full")
            } else if let files = room.freeFiles, files < Self.leastFiles {
                findings.wrong(
                    .disk,
                    "the disk of \(folder) takes \(files) more files",
                    "make room on it",
                    code: "disk-full"
                )
            } else {
                findings.ok(.disk, free)
            }
        } catch {
            findings.wrong(.disk, .system(error), nil)
        }
    }

    /// Examines the profile's database: the file, and each sealed value, part by part.
    func examineDatabase(_ findings: inout Findings) async {
        do throws(MessengerError) {
            var found = DatabaseExamination()
            for part in ClientStore.ExaminedPart.allCases {
                let opened = try await alone { (_, store) throws(MessengerError) in try store.examine(part) }
                found.add(opened)
            }
            guard found.damaged == 0 else {
                return findings.wrong(
                    .database,
                    "\(found.damaged) of \(found.count) sealed values in \(profile.place.messages) do not open",
                    "take the profile from a backup; keep a copy of this one until that works",
                    .damaged,
                    code: "not-readable"
                )
            }
            findings.ok(.database, "sound, and all \(found.count) sealed values open")
        } catch {
            findings.wrong(.database, error, nil, error.faultOfProfile)
        }
    }
}

extension MessengerError {
    /// What kind of fault it is, where the profile itself could not be used.
    var faultOfProfile: Finding.Fault {
        switch self {
        case .storage(.damaged), .storage(.notOurs), .stateDamaged: .damaged
        default: .other
        }
    }
}

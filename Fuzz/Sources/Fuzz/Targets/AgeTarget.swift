import MildamFiles

extension FuzzTarget {
    /// The header of an age file.
    static let ageHeader = FuzzTarget(
        name: "age-header",
        source: .file,
        seeds: {
            let end = "--- AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n0123456789abcdef"
            let share = "-> X25519 TEiF0ypqr+bpvcqXNyCVJpL7OuwPdVwPL7KQEbFDOCc\n"
            return [
                "age-encryption.org/v1\n" + share + "EmECAEcKN+n/Vs9SbWiV+Hu0r+E8R77DdWYyd83nw7U\n" + end,
                "age-encryption.org/v1\n-> a b c\n\n-> d\n" + String(repeating: "A", count: 64) + "\nAA\n" + end
                    + "more",
            ].map { Array($0.utf8) }
        },
        take: { input in
            let fed = mustBeTheSame(input, "an age header", feed: parse)
            guard case .ended(let header?, let taken) = fed else { return }
            planted(header.stanzas.count == 3)
            mustHold(header.bytes == Array(input.prefix(taken)), "a header that is written is what was read")
            mustHold(!header.stanzas.isEmpty, "a header has a stanza")
        }
    )

    private static func parse(_ parts: [ArraySlice<UInt8>]) -> Fed<AgeHeader?, AgeError> {
        var parser = AgeHeaderParser()
        var taken = 0
        do throws(AgeError) {
            for part in parts {
                let count = try parser.consume(Array(part).span)
                taken += count
                if count < part.count { break }
            }
        } catch {
            return .refused(error)
        }
        guard let header = try? parser.finish() else { return .unfinished(nil) }
        return .ended(header, taken: taken)
    }
}

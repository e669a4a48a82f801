import Foundation

/// What other libraries of MLS take for the same, in the same run, where Scripts/mls-libraries has put them.
enum MLSLibraries {
    private static let folder = ".build/mls-libraries"

    /// Our rows, and after each the same row beside each library that has the like.
    static func beside(_ figures: [Figure], groupsOf counts: [Int]) throws -> [Figure] {
        guard FileManager.default.fileExists(atPath: folder + "/installed") else {
            let note = "mildam-bench: no other library of MLS is installed; Scripts/mls-libraries does that\n"
            FileHandle.standardError.write(Data(note.utf8))
            return figures
        }
        let program = ["\(folder)/bin/python3", "-B", "Benchmarks/Peers/mls_libraries.py"]
        let output = try Child.output(of: program + counts.map { "\($0)" })
        let libraries = try JSONDecoder().decode([String: [String: Double]].self, from: Data(output.utf8))
        let known = Set(figures.map(\.what))
        for (library, costs) in libraries {
            for what in costs.keys where !known.contains(what) {
                throw BenchError("\(library) has a figure that is none of ours: \(what)")
            }
        }
        let names = libraries.keys.sorted()
        return figures.flatMap { figure -> [Figure] in
            let others = names.compactMap { name -> Figure? in
                guard let cost = libraries[name]?[figure.what] else { return nil }
                return Figure(
                    what: figure.what,
                    value: figure.value,
                    unit: figure.unit,
                    peer: (name, cost),
                    note: figure.note
                )
            }
            return [figure] + others
        }
    }
}

import Glibc

// mildam-hot-paths PATH TURNS: takes one hot path so many times. `Scripts/bench-check` counts the instructions of N
// and of 2N turns under callgrind; the difference is free of what starting costs. Inputs are the same in every run.
// Without arguments: prints the names of the paths.

let arguments = CommandLine.arguments
guard arguments.count == 3, let path = HotPath(rawValue: arguments[1]), let turns = Int(arguments[2]), turns > 0 else {
    for path in HotPath.allCases { print(path.rawValue, path.turns) }
    exit(arguments.count == 1 ? 0 : 2)
}
do {
    try path.take(turns)
} catch {
    print("mildam-hot-paths: \(path.rawValue): \(error)")
    exit(1)
}

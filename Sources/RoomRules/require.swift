#if MUTANTS
import Glibc

/// In a build with mutants: the one rule that is not looked at in this run.
private let mutant: RoomRule? = {
    guard let name = unsafe getenv("MILDAM_ROOM_MUTANT").flatMap({ unsafe String(validatingCString: $0) }) else {
        return nil
    }
    guard let rule = RoomRule(rawValue: name) else {
        print("MILDAM_ROOM_MUTANT: there is no rule \(name)")
        exit(2)
    }
    return rule
}()
#endif

/// Refuses what breaks a rule.
///
/// Built with `-D MUTANTS`, the rule that `MILDAM_ROOM_MUTANT` names is let pass: then a test has to fail.
func require(_ rule: RoomRule, _ holds: @autoclosure () -> Bool) throws(RoomRefusal) {
    let holds = holds()
    #if MUTANTS
    if rule == mutant { return }
    #endif
    guard holds else { throw .broken(rule) }
}

/// Refuses what breaks a rule by not being there.
///
/// Nothing can go on without it: where the rule is let pass, another one is named.
func required<Value>(_ rule: RoomRule, _ value: @autoclosure () -> Value?) throws(RoomRefusal) -> Value {
    guard let value = value() else {
        #if MUTANTS
        if rule == mutant { throw .broken(rule == .reasonIsBounded ? .reasonIsReadable : .reasonIsBounded) }
        #endif
        throw .broken(rule)
    }
    return value
}

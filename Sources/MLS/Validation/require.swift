#if MUTANTS
import Glibc

/// In a build with mutants: the one rule that is not looked at in this run.
private let mutant: ValidationRule? = {
    guard let name = unsafe getenv("MILDAM_MUTANT").flatMap({ unsafe String(validatingCString: $0) }) else {
        return nil
    }
    guard let rule = ValidationRule(rawValue: name) else {
        print("MILDAM_MUTANT: there is no rule \(name)")
        fflush(nil)
        // At once: other tests run on their threads, and use what an ordinary end takes down.
        _exit(2)
    }
    return rule
}()
#endif

/// Refuses what breaks a rule.
///
/// Built with `-D MUTANTS`, the rule that `MILDAM_MUTANT` names is let pass: then a test has to fail.
func require(_ rule: ValidationRule, _ holds: @autoclosure () throws(MLSError) -> Bool) throws(MLSError) {
    let holds = try holds()
    #if MUTANTS
    if rule == mutant { return }
    #endif
    guard holds else { throw .invalid(rule) }
}

/// Refuses what breaks a rule by not being there.
///
/// Nothing can go on without it: where the rule is let pass, another error says so.
func required<Value>(
    _ rule: ValidationRule,
    _ value: @autoclosure () throws(MLSError) -> Value?
) throws(MLSError) -> Value {
    let value = try value()
    #if MUTANTS
    guard rule != mutant || value != nil else { throw .nothingPending }
    #endif
    guard let value else { throw .invalid(rule) }
    return value
}

package dev.perigee.testing.history;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Collects what of a history must not have happened, and what is admitted. For one thread. */
public final class Judgement {
    private final List<String> violations = new ArrayList<>();
    private final Map<Admission, List<String>> admitted = new EnumMap<>(Admission.class);

    Judgement() {}

    void violation(String what) {
        violations.add(what);
    }

    /** Something that must not have happened, unless it is admitted. */
    void judge(String what, @Nullable Admission admission) {
        if (admission == null) {
            violations.add(what);
        } else {
            admitted.computeIfAbsent(admission, _ -> new ArrayList<>()).add(what);
        }
    }

    /** Everything that must not have happened, for people; empty when all is well. */
    public List<String> violations() {
        return List.copyOf(violations);
    }

    /** What happened and is not promised not to. */
    public Map<Admission, List<String>> admitted() {
        return Map.copyOf(admitted);
    }
}

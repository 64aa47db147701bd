package dev.perigee.worker.process.isolation;

import dev.perigee.protocol.config.EgressRule;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Egress of one program, within the fleet's policy.
 *
 * @param only the list that narrows it, null without one
 * @param refused told what was refused, for people; any thread, may come often, must not block
 */
public record ProgramEgress(@Nullable List<EgressRule> only, Consumer<String> refused) {
    /** What the fleet allows. */
    static final ProgramEgress OF_ALL = new ProgramEgress(null, _ -> {});

    /** Nothing. */
    static final ProgramEgress NOTHING = new ProgramEgress(List.of(), _ -> {});

    public ProgramEgress {
        only = only == null ? null : List.copyOf(only);
    }
}

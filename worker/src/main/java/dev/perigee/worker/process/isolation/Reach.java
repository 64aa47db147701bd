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
public record Reach(@Nullable List<EgressRule> only, Consumer<String> refused) {
    /** What the fleet allows. */
    static final Reach OF_ALL = new Reach(null, _ -> {});

    /** Nothing. */
    static final Reach NOTHING = new Reach(List.of(), _ -> {});

    public Reach {
        only = only == null ? null : List.copyOf(only);
    }
}

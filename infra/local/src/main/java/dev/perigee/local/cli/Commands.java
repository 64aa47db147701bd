package dev.perigee.local.cli;

import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandPayload;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes commands with an id of their own and an expiry. The id in a file is replaced as well, as a
 * fleet runs one id only once, unless the user asked to keep it. For one thread.
 */
final class Commands {
    private final InstantSource clock;
    private final Duration lifetime;
    private final boolean keepIds;
    private final Set<String> timed = new HashSet<>();

    Commands(InstantSource clock, Duration lifetime, boolean keepIds) {
        this.clock = clock;
        this.lifetime = lifetime;
        this.keepIds = keepIds;
    }

    Command command(String type, CommandPayload payload) {
        var now = clock.instant();
        var id = newId();
        timed.add(id);
        return new Command(id, type, "immediate", null, now, now.plus(lifetime), payload);
    }

    /** The same command as it is sent later: with its time from now on, unless it brought one. */
    Command renewed(Command command) {
        if (!timed.contains(command.id())) {
            return command;
        }
        var now = clock.instant();
        return new Command(
                command.id(),
                command.commandType(),
                command.priority(),
                command.correlationId(),
                now,
                now.plus(lifetime),
                command.payload());
    }

    /** A command record as somebody wrote it, with what it lacks. */
    ObjectNode completed(ObjectNode written) {
        var command = written.deepCopy();
        if (!keepIds || !command.hasNonNull("id")) {
            command.put("id", newId());
        }
        boolean issued = command.hasNonNull("issued_at");
        if (!issued) {
            command.put("issued_at", clock.instant().toString());
        }
        if (!issued && !command.hasNonNull("expires_at")) {
            timed.add(command.get("id").asString(""));
        }
        if (!command.hasNonNull("expires_at")) {
            command.put("expires_at", clock.instant().plus(lifetime).toString());
        }
        return command;
    }

    private static String newId() {
        return "cli-" + UUID.randomUUID();
    }
}

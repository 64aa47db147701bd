package dev.perigee.local.backup;

import dev.perigee.local.recording.RecordingJson;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * Names of the records of the state topic, as far as a restoration treats them differently. Names
 * are never encrypted, nor are the values of commands. Pure.
 */
final class StateRecordNames {
    private static final String CLAIM = "claim";
    private static final String HOST = "host";
    private static final String INSTANCE = "instance/";
    private static final String COMMAND = "command/";
    private static final String BROADCAST = "broadcast/";

    private StateRecordNames() {}

    /** Kinds of records. */
    enum Kind {
        /** Which gateway owned a partition; its offset was the fencing token there. */
        CLAIM,
        /** Which worker had a partition. */
        HOST,
        /** An instance's configuration. */
        INSTANCE,
        /** The id of a command that ended, so that it does not run again. */
        ENDED_COMMAND,
        /** A command that was running. */
        RUNNING_COMMAND,
        /** A command for all users of a team that was running. */
        BROADCAST,
        /** Everything else: it is restored as it is. */
        OTHER
    }

    static Kind kind(String name, byte[] value) {
        if (name.equals(CLAIM)) {
            return Kind.CLAIM;
        }
        if (name.equals(HOST)) {
            return Kind.HOST;
        }
        if (name.startsWith(INSTANCE)) {
            return Kind.INSTANCE;
        }
        if (name.startsWith(BROADCAST)) {
            return Kind.BROADCAST;
        }
        if (name.startsWith(COMMAND)) {
            return hasEnded(value) ? Kind.ENDED_COMMAND : Kind.RUNNING_COMMAND;
        }
        return Kind.OTHER;
    }

    /** The process id in the name of an instance's record, null in that of another. */
    static @Nullable String processId(String name) {
        return name.startsWith(INSTANCE) ? name.substring(INSTANCE.length()) : null;
    }

    private static boolean hasEnded(byte[] value) {
        try {
            return RecordingJson.MAPPER.readTree(value).path("outcome").isString();
        } catch (JacksonException e) {
            return false;
        }
    }
}

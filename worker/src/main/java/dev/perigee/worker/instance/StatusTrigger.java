package dev.perigee.worker.instance;

import dev.perigee.protocol.command.CommandAction.Check;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.link.InstanceOrder.Cause;

/** Triggers of an installation's status; {@link StatusMachine} has the transitions. */
sealed interface StatusTrigger {

    /** Those that say all by their name. */
    enum Step implements StatusTrigger {
        /** A restart was ordered. */
        RESTART_ORDERED,
        /** The server was stopped by intent, or is known without being started. */
        STOPPED,
        /** It ran on workers that died, and is not started for now. */
        QUARANTINED,
        /** A process is spawned, or a session made. */
        CONNECTS,
        /** The server is asked for its tools. */
        DISCOVERS,
        /** It listed them. */
        LISTED,
        /** They were published. */
        READY,
        /** It answered a call, or a connectivity check. */
        ANSWERED,
        /** It crashed, and is restarted after a delay. */
        CRASHED,
        /** It crashed, and is not restarted. */
        CRASHED_FOR_GOOD,
        /** It was ended, since its output had a gap. */
        OUTPUT_LOST
    }

    /**
     * A configuration arrived.
     *
     * @param known whether the instance had one on this worker
     * @param stopped whether the server is not to be started
     */
    record Configured(Cause cause, boolean known, boolean stopped) implements StatusTrigger {}

    /** A start or a discovery failed, with what it says of the server. */
    record StartFailed(ServerStatus found) implements StatusTrigger {}

    /** A call failed for good, with what it says of the server. */
    record CallFailed(ServerStatus found) implements StatusTrigger {}

    /** A health check failed, with what it says of the server. */
    record CheckFailed(Check check, ServerStatus found) implements StatusTrigger {}
}

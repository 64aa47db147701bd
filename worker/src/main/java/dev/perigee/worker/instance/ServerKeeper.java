package dev.perigee.worker.instance;

import dev.perigee.protocol.link.InstanceOrder.Cause;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Lifecycle of an instance's server, by its transport. Confined to the supervisor's thread; methods
 * that throw {@link InterruptedException} wait for what they end.
 */
sealed interface ServerKeeper permits ProcessKeeper, HttpKeeper {

    /** Whether the instance is on its way to a settled status. */
    boolean underWay();

    /** Starts, where nothing runs. */
    void start(StartKind kind, String reason, @Nullable String commandId);

    /**
     * Leaves an instance as it is that slept on its last worker, its tools listed.
     *
     * @return false when it is to be started
     */
    boolean sleepOn();

    /** Knows the instance without starting anything: its user must act first. */
    void hold();

    /**
     * Takes a configuration over while the server is up, where that is possible.
     *
     * @return false when the server must be ended first
     */
    boolean reconfigure(Message.Apply message) throws InterruptedException;

    /** Checks the server again after a hint that it is back; false where that makes no sense. */
    boolean recover(Message.Order order) throws InterruptedException;

    /**
     * Ends the server by intent, if there is one: requests in flight fail at once, its whole tree
     * is gone when this returns.
     *
     * @return its pid, null when there was none
     */
    @Nullable Long end(String reason, Duration grace) throws InterruptedException;

    /** Kills what there is or will be, without waiting for its end. */
    void kill();

    /** What is said to users when it starts. */
    static String reason(Cause cause) {
        return switch (cause) {
            case CREATED, SPAWN -> "Starting";
            case UPDATED -> "Starting with the new configuration";
            case REDEPLOYED -> "Starting the new deployment";
            case RESTORED -> "Starting again on this worker";
        };
    }
}

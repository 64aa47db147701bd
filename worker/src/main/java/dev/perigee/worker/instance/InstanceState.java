package dev.perigee.worker.instance;

import java.util.Locale;

/** State of an instance's process; see {@code Lifecycle} for the transitions. */
public enum InstanceState {
    /** Spawned, handshake in progress: only handshake messages are sent. */
    STARTING,
    /** Handshake done: requests are sent. */
    RUNNING,
    /** Ended by intent, not yet gone. */
    TERMINATING,
    /** No process: stopped, exited, dormant, or not yet started. */
    TERMINATED,
    /** Could not be started, or crashed: no process. */
    FAILED;

    /** As in heartbeats and attach answers. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}

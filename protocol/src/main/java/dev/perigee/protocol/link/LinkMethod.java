package dev.perigee.protocol.link;

/** Method names of the JSON-RPC messages on the link. */
public final class LinkMethod {
    /** First request of a connection: who either side is, its versions and its limits. */
    public static final String HELLO = "link/hello";

    /** Takes a partition's session, or creates it: {@link Attach.Request}. */
    public static final String ATTACH = "session/attach";

    /** Leaves a session, which goes on: {@link Attach.Detach}. */
    public static final String DETACH = "session/detach";

    /** Ends a session and its processes: {@link Attach.Release}. */
    public static final String RELEASE = "session/release";

    /** Asks for the place of an instance that starts alone: {@link Attach.Trial}. */
    public static final String TRIAL = "session/trial";

    /** Extends the leases of attached sessions: {@link Lease}. */
    public static final String LEASE = "session/lease";

    /** Brings an instance to a configuration. */
    public static final String APPLY = "instance/apply";

    /** Stops an instance by intent. */
    public static final String STOP = "instance/stop";

    /** Restarts an instance with a fresh restart budget. */
    public static final String RESTART = "instance/restart";

    /** Removes an instance and what it left. */
    public static final String REMOVE = "instance/remove";

    /** Discovers the tools of an HTTP server again. */
    public static final String RECOVER = "instance/recover";

    /** Disables a tool, or restores it. */
    public static final String SWITCH_TOOL = "instance/switch_tool";

    /** Checks an instance; changes nothing. */
    public static final String HEALTH_CHECK = "instance/health_check";

    /** Installs the packages of instances that are about to move here. */
    public static final String PREPARE = "instance/prepare";

    /** Sends a request to an instance: {@link ToolOrder.Execute}. */
    public static final String EXECUTE = "tool/execute";

    /** Cancels a request. */
    public static final String CANCEL = "tool/cancel";

    /**
     * Journal entries that are durable in Kafka. From here on: notifications, gateway to worker.
     */
    public static final String ACK = "session/ack";

    /** Lets the worker send further bytes of events. */
    public static final String CREDIT = "session/credit";

    /** Offsets below which no record comes again: the worker forgets them. */
    public static final String COMMITTED = "session/committed";

    /** Says why a gateway's partitions cannot leave a draining worker. */
    public static final String STAYING = "worker/staying";

    /** A journal entry. From here on: notifications, worker to gateway. */
    public static final String EVENT = "instance/event";

    /** Ends an attachment: a higher epoch has the session. */
    public static final String FENCED = "session/fenced";

    /** A session is over, and all it had to say is acknowledged. */
    public static final String ENDED = "session/ended";

    /** The worker drains: partitions are to be moved away. */
    public static final String DRAINING = "worker/draining";

    /** A heartbeat to be published: {@link dev.perigee.protocol.event.Heartbeat}. */
    public static final String HEARTBEAT = "worker/heartbeat";

    private LinkMethod() {}
}

package dev.perigee.protocol.link;

/** Method names of the JSON-RPC messages on the link. */
public final class LinkMethod {
    public static final String HELLO = "link/hello";
    public static final String ATTACH = "session/attach";
    public static final String DETACH = "session/detach";
    public static final String RELEASE = "session/release";
    public static final String TRIAL = "session/trial";
    public static final String LEASE = "session/lease";
    public static final String APPLY = "instance/apply";
    public static final String STOP = "instance/stop";
    public static final String RESTART = "instance/restart";
    public static final String REMOVE = "instance/remove";
    public static final String RECOVER = "instance/recover";
    public static final String SWITCH_TOOL = "instance/switch_tool";
    public static final String HEALTH_CHECK = "instance/health_check";
    public static final String PREPARE = "instance/prepare";
    public static final String EXECUTE = "tool/execute";
    public static final String CANCEL = "tool/cancel";

    /** Notifications, gateway to worker. */
    public static final String ACK = "session/ack";

    public static final String CREDIT = "session/credit";
    public static final String COMMITTED = "session/committed";
    public static final String STAYING = "worker/staying";

    /** Notifications, worker to gateway. */
    public static final String EVENT = "instance/event";

    public static final String FENCED = "session/fenced";
    public static final String ENDED = "session/ended";
    public static final String DRAINING = "worker/draining";
    public static final String HEARTBEAT = "worker/heartbeat";

    private LinkMethod() {}
}

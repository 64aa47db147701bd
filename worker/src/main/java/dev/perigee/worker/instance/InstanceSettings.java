package dev.perigee.worker.instance;

import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import dev.perigee.worker.log.LogOptions;
import dev.perigee.worker.mcp.HttpSettings;
import dev.perigee.worker.mcp.McpOptions;
import dev.perigee.worker.oauth.OAuthSettings;
import dev.perigee.worker.process.packages.PackageSettings;
import dev.perigee.worker.secret.SecretSettings;
import dev.perigee.worker.tool.RetrySettings;
import java.time.Duration;
import java.util.List;

/** The configuration keys of instances; part of the worker's. */
public final class InstanceSettings {
    private static final int MANY = 1_000_000;

    public static final Setting<Duration> HANDSHAKE_TIMEOUT =
            Setting.of(
                    "mcp.handshake-timeout",
                    SettingType.duration(),
                    "30s",
                    "From the spawn of a server to its answer to initialize; an installation's"
                            + " handshake_timeout_ms goes first. A package that is prepared has"
                            + " packages.timeout before; what a command that runs as written"
                            + " downloads counts.");
    public static final Setting<Duration> REQUEST_TIMEOUT =
            Setting.of(
                    "mcp.request-timeout",
                    SettingType.duration(),
                    "30s",
                    "How long a server may take to list its tools.");
    public static final Setting<String> PROTOCOL_VERSION =
            Setting.of(
                    "mcp.protocol-version",
                    SettingType.string(),
                    "2025-11-25",
                    "The MCP revision offered to servers; whatever they answer is accepted.");
    public static final Setting<Boolean> ANNOUNCE_INPUT =
            Setting.of(
                    "mcp.announce-input",
                    SettingType.bool(),
                    "false",
                    "Whether servers are told that they may ask (elicitation and sampling). What"
                            + " they ask is answered by the author of a call that accepts input,"
                            + " and else by an error.");
    public static final Setting<Long> UNFINISHED =
            Setting.optional(
                    "mcp.unfinished-memory",
                    SettingType.bytes().where(bytes -> bytes > 0, "positive"),
                    "Memory for messages of which the end is not read yet, of all servers together."
                            + " A server may have as much of it as is still free, and 64KiB in any"
                            + " case; beyond that it is not read until others have ended theirs."
                            + " Without it an eighth of the heap.");
    public static final Setting<Duration> CONNECTIVITY_TIMEOUT =
            Setting.of(
                    "health.connectivity-timeout",
                    SettingType.duration(),
                    "10s",
                    "How long a server may take to answer a connectivity check.");
    public static final Setting<Duration> CREDENTIAL_TIMEOUT =
            Setting.of(
                    "health.credential-timeout",
                    SettingType.duration(),
                    "15s",
                    "How long an HTTP server may take to answer a check of its credentials.");
    public static final Setting<Duration> PROBE_INTERVAL =
            Setting.of(
                    "health.probe-interval",
                    SettingType.duration(),
                    "3m",
                    "How often a worker asks each HTTP server by itself whether it is there, with"
                            + " jitter: one that hangs is found, and one that came back, without a"
                            + " call. 0 leaves that to calls and checks.");
    public static final Setting<Duration> RECOVERY_PAUSE =
            Setting.of(
                    "health.recovery-pause",
                    SettingType.duration(),
                    "1m",
                    "Shortest time between two recoveries of a flapping server, which is one that"
                            + " comes back for the third time in five minutes; until then it stays"
                            + " offline or in error, and calls are tried. 0 reports each at once.");
    public static final Setting<Duration> TERMINATION_GRACE =
            Setting.of(
                    "process.termination-grace",
                    SettingType.duration(),
                    "10s",
                    "From SIGTERM to SIGKILL when a process is ended.");
    public static final Setting<Long> INPUT_MEMORY =
            Setting.optional(
                    "process.input-memory",
                    SettingType.bytes().where(bytes -> bytes > 0, "positive"),
                    "Memory for what servers were sent and have not read yet, of all of them"
                            + " together. A server may have as much of it as is still free, and"
                            + " 64KiB in any case; further calls are answered overloaded. Without"
                            + " it a sixteenth of the heap.");
    public static final Setting<Integer> PARALLEL_STARTS =
            Setting.of(
                    "process.parallel-starts",
                    SettingType.integer(1, 1000),
                    "4",
                    "How many processes may be in their first moments at the same time; teams and"
                            + " users take turns, and starts that a call waits for go first.");
    public static final Setting<Duration> START_SLOT_HOLD =
            Setting.of(
                    "process.start-slot-hold",
                    SettingType.duration(),
                    "3s",
                    "How long a starting process counts towards process.parallel-starts, so that a"
                            + " slow one does not hold up others; a third of that where another"
                            + " team or user with fewer starts waits.");
    public static final Setting<List<String>> ALLOWED_COMMANDS =
            Setting.of(
                    "process.allowed-commands",
                    SettingType.listOf(SettingType.string()),
                    "*",
                    "Programs that an installation may name, such as npx,node,uvx,uv,python,python3;"
                            + " * allows all.");
    public static final Setting<Integer> MAX_CRASHES =
            Setting.of(
                    "restart.max-crashes",
                    SettingType.integer(1, 1000),
                    "3",
                    "The crash within restart.window that is not followed by a restart. An end because"
                            + " the machine ran out of memory, which others seem to have taken, counts"
                            + " only from the seventh in a row on: those before it are followed by"
                            + " ever longer delays, up to restart.window.");
    public static final Setting<Duration> CRASH_WINDOW =
            Setting.of(
                    "restart.window", SettingType.duration(), "5m", "How far back crashes count.");
    public static final Setting<Duration> LONG_UPTIME =
            Setting.of(
                    "restart.immediate-after",
                    SettingType.duration(),
                    "60s",
                    "A process that ran longer than this is restarted at once.");
    public static final Setting<List<Duration>> RESTART_DELAYS =
            Setting.of(
                    "restart.delays",
                    SettingType.listOf(SettingType.duration()),
                    "1s,5s,15s",
                    "Delays before the first, second and further restarts.");
    public static final Setting<Duration> IDLE_TIMEOUT =
            Setting.of(
                    "idle.timeout",
                    SettingType.duration(),
                    "180s",
                    "A process that was sent no request for so long is ended; the next request"
                            + " starts it again. 0 leaves idle processes alone.");
    public static final Setting<Duration> IDLE_CHECK_INTERVAL =
            Setting.of(
                    "idle.check-interval",
                    SettingType.duration().where(Duration::isPositive, "more than 0"),
                    "30s",
                    "How often it is looked for idle processes.");
    public static final Setting<Duration> IDLE_GRACE =
            Setting.of(
                    "idle.grace",
                    SettingType.duration(),
                    "60s",
                    "A process that was spawned less than this ago is not ended for being idle.");
    public static final Setting<Duration> TRANSITION_WAIT =
            Setting.of(
                    "tool.transition-wait",
                    SettingType.duration(),
                    "10s",
                    "How long a call waits for a server that is starting or restarting.");
    public static final Setting<Integer> MAX_CALLS =
            Setting.of(
                    "tool.max-calls",
                    SettingType.integer(1, MANY),
                    "1024",
                    "Calls of one instance that may be under way; more are answered overloaded.");
    public static final Setting<Duration> LOG_INTERVAL =
            Setting.of(
                    "logs.batch-interval",
                    SettingType.duration(),
                    "3s",
                    "From the first line of a batch of logs to its event.");
    public static final Setting<Integer> LOG_BATCH =
            Setting.of(
                    "logs.batch-lines",
                    SettingType.integer(1, MANY),
                    "20",
                    "Lines that make a batch of logs full.");
    public static final Setting<Integer> LOG_RATE =
            Setting.of(
                    "logs.lines-per-second",
                    SettingType.integer(1, MANY),
                    "20",
                    "Lines a second, on average over a batch interval, above which a process's"
                            + " lines are dropped and counted.");
    public static final Setting<Integer> LOG_LINE =
            Setting.of(
                    "logs.max-line-bytes",
                    SettingType.integer(16, MANY),
                    "1024",
                    "Longest line of a log; the rest of it is cut off.");
    public static final Setting<Integer> LOG_PAYLOAD =
            Setting.of(
                    "logs.max-payload-bytes",
                    SettingType.integer(16, MANY),
                    "16384",
                    "Largest parameters or response that a request log carries; larger ones are"
                            + " replaced by their size.");

    public static final Setting<Boolean> LOG_VALUES =
            Setting.of(
                    "logs.request-values",
                    SettingType.bool(),
                    "false",
                    "Whether request logs have the values of parameters and responses rather than"
                            + " their shapes (names, types and sizes), where an installation's"
                            + " request_log_values does not say.");

    public static final Setting<Boolean> USAGE =
            Setting.of(
                    "usage.enabled",
                    SettingType.bool(),
                    "true",
                    "Whether the worker measures what each instance uses and publishes it once a"
                            + " minute, on the topic usage.");
    public static final Setting<Integer> USER_AWAKE =
            Setting.of(
                    "limits.user.awake",
                    SettingType.integer(1, MANY),
                    "100",
                    "Server processes of one user of a team that may be awake on this worker. One"
                            + " more takes the place of one that is idle, which goes dormant; where"
                            + " none is, it is refused.");
    public static final Setting<Integer> TEAM_AWAKE =
            Setting.of(
                    "limits.team.awake",
                    SettingType.integer(1, MANY),
                    "5000",
                    "The same for all users of a team.");

    /** All keys, in the order of the reference page. */
    public static final SettingsSchema SCHEMA =
            SettingsSchema.of(
                            "instances",
                            HANDSHAKE_TIMEOUT,
                            REQUEST_TIMEOUT,
                            PROTOCOL_VERSION,
                            ANNOUNCE_INPUT,
                            UNFINISHED,
                            CONNECTIVITY_TIMEOUT,
                            CREDENTIAL_TIMEOUT,
                            PROBE_INTERVAL,
                            RECOVERY_PAUSE,
                            TERMINATION_GRACE,
                            INPUT_MEMORY,
                            PARALLEL_STARTS,
                            START_SLOT_HOLD,
                            ALLOWED_COMMANDS,
                            MAX_CRASHES,
                            CRASH_WINDOW,
                            LONG_UPTIME,
                            RESTART_DELAYS,
                            IDLE_TIMEOUT,
                            IDLE_CHECK_INTERVAL,
                            IDLE_GRACE,
                            TRANSITION_WAIT,
                            MAX_CALLS,
                            LOG_INTERVAL,
                            LOG_BATCH,
                            LOG_RATE,
                            LOG_LINE,
                            LOG_PAYLOAD,
                            LOG_VALUES,
                            USAGE,
                            USER_AWAKE,
                            TEAM_AWAKE)
                    .with(HttpSettings.SCHEMA)
                    .with(RetrySettings.SCHEMA)
                    .with(PackageSettings.SCHEMA)
                    .with(SecretSettings.SCHEMA)
                    .with(OAuthSettings.SCHEMA);

    private static final int TAIL_LINES = LogOptions.defaults().tailLines();

    private InstanceSettings() {}

    /** The options that the settings say. */
    public static InstanceOptions read(Settings settings) {
        var mcp = McpOptions.defaults();
        return new InstanceOptions(
                settings.value(HANDSHAKE_TIMEOUT),
                settings.value(REQUEST_TIMEOUT),
                settings.value(CONNECTIVITY_TIMEOUT),
                settings.value(CREDENTIAL_TIMEOUT),
                settings.value(TERMINATION_GRACE),
                settings.value(TRANSITION_WAIT),
                settings.value(MAX_CALLS),
                settings.value(PARALLEL_STARTS),
                settings.value(START_SLOT_HOLD),
                settings.value(ALLOWED_COMMANDS),
                PackageSettings.read(settings),
                new RestartPolicy(
                        settings.value(MAX_CRASHES),
                        settings.value(CRASH_WINDOW),
                        settings.value(LONG_UPTIME),
                        settings.value(RESTART_DELAYS)),
                new IdlePolicy(
                        settings.value(IDLE_TIMEOUT),
                        settings.value(IDLE_CHECK_INTERVAL),
                        settings.value(IDLE_GRACE)),
                new McpOptions(
                        settings.value(PROTOCOL_VERSION),
                        mcp.clientName(),
                        mcp.clientVersion(),
                        mcp.maxMessageBytes(),
                        settings.valueOrNull(UNFINISHED),
                        settings.value(ANNOUNCE_INPUT)),
                HttpSettings.read(settings),
                RetrySettings.read(settings),
                new LogOptions(
                        settings.value(LOG_INTERVAL),
                        settings.value(LOG_BATCH),
                        settings.value(LOG_RATE),
                        settings.value(LOG_LINE),
                        TAIL_LINES,
                        settings.value(LOG_PAYLOAD),
                        settings.value(LOG_VALUES)),
                new AwakeLimits(settings.value(USER_AWAKE), settings.value(TEAM_AWAKE)),
                new ProbeOptions(settings.value(PROBE_INTERVAL), settings.value(RECOVERY_PAUSE)),
                SecretSettings.read(settings),
                OAuthSettings.read(settings));
    }
}

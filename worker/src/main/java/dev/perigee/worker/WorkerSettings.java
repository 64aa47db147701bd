package dev.perigee.worker;

import dev.perigee.protocol.access.AdminAccess;
import dev.perigee.protocol.link.Hello;
import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import dev.perigee.tracing.TracingSettings;
import dev.perigee.worker.admin.WorkerAdminSettings;
import dev.perigee.worker.instance.InstanceOptions;
import dev.perigee.worker.instance.InstanceSettings;
import dev.perigee.worker.process.isolation.IsolationSettings;
import dev.perigee.worker.secret.SecretSettings;
import dev.perigee.worker.session.LinkServerSettings;
import dev.perigee.worker.session.SessionSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** All configuration keys of a worker: its own here, those of its packages in theirs. */
public final class WorkerSettings {
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,200}");
    private static final List<String> PRODUCTION_COMMANDS =
            List.of("npx", "node", "uvx", "uv", "python", "python3");
    private static final Duration KILL_TIME = Duration.ofSeconds(1);

    public static final Setting<String> ID_SETTING =
            Setting.optional(
                    "worker.id",
                    SettingType.string()
                            .where(
                                    text -> ID.matcher(text).matches(),
                                    "of letters, digits, '.', '_' and '-'"),
                    "The worker's name, the same through restarts, its own on this system. Without"
                            + " it: worker- and the host's name.");
    public static final Setting<WorkerMode> MODE =
            Setting.of(
                    "worker.mode",
                    SettingType.oneOf(WorkerMode.class),
                    "production",
                    "What a worker is for. In production debug pages are off unless admin.debug"
                            + " turns them on, homes and packages are in /mcp-cache unless"
                            + " worker.cache-directory names another directory, and a * in"
                            + " process.allowed-commands stands for "
                            + String.join(",", PRODUCTION_COMMANDS)
                            + ". In either mode isolation.mode alone decides on jails.");
    public static final Setting<String> CACHE_DIRECTORY =
            Setting.optional(
                    "worker.cache-directory",
                    SettingType.string(),
                    "Where the homes of installations and packages are kept. Without it /mcp-cache in"
                            + " production, else .cache/perigee in the home directory.");
    public static final Setting<Integer> CAPACITY =
            Setting.of(
                    "worker.capacity",
                    SettingType.integer(1, 1_000_000),
                    Integer.toString(Hello.USUAL_CAPACITY),
                    "How much this worker takes in proportion to the others: twice the number gets"
                            + " about twice the partitions. It limits nothing.");
    public static final Setting<Duration> DRAIN_TIMEOUT =
            Setting.of(
                    "worker.drain-timeout",
                    SettingType.duration(),
                    "20s",
                    "How long a worker that is told to stop (SIGTERM) waits for gateways to move its"
                            + " partitions, calls finishing first, before it ends what is left."
                            + " Ending takes up to twice process.termination-grace more: give the"
                            + " orchestrator's grace period both.");

    /** All keys, in the order of the reference page. */
    public static final SettingsSchema SCHEMA =
            SettingsSchema.of("worker", ID_SETTING, MODE, CACHE_DIRECTORY, CAPACITY, DRAIN_TIMEOUT)
                    .with(LinkServerSettings.SCHEMA)
                    .with(SessionSettings.SCHEMA)
                    .with(InstanceSettings.SCHEMA)
                    .with(IsolationSettings.SCHEMA)
                    .with(WorkerAdminSettings.SCHEMA)
                    .with(TracingSettings.SCHEMA)
                    .withRule(WorkerSettings::linkOpenToServers)
                    .withRule(WorkerSettings::secretsOpenToServers);

    private WorkerSettings() {}

    /** What is wrong when jailed servers could pass for a gateway, null when they cannot. */
    private static @Nullable String linkOpenToServers(Settings settings) {
        return settings.valueOrNull(LinkServerSettings.TOKEN) == null
                        && settings.valueOrNull(LinkServerSettings.TLS_CLIENT_CA) == null
                        && IsolationSettings.letsReachHost(settings)
                ? "link.token or link.tls.client-ca must be set: jailed servers have the host's"
                        + " network and could pass for a gateway. Write a secret into a file"
                        + " (openssl rand -hex 32) and name it by link.token-file, here and at the"
                        + " gateways; or set isolation.network=policy"
                : null;
    }

    /** What is wrong when jailed servers could read all users' secrets, null when they cannot. */
    private static @Nullable String secretsOpenToServers(Settings settings) {
        var directory = SecretSettings.directory(settings);
        return directory != null && IsolationSettings.letsSee(settings, directory)
                ? ("secrets.directory is %s, where jailed servers can read it, maybe by a link: they"
                                + " see the system's directories and isolation.read-only-paths."
                                + " Name less there, as /run/x for /run; or choose a directory"
                                + " elsewhere; or make this one before the worker starts and"
                                + " name it in isolation.hidden-paths")
                        .formatted(directory)
                : null;
    }

    static String workerId(Settings settings) {
        var id = settings.valueOrNull(ID_SETTING);
        return id == null ? "worker-" + hostName() : id;
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName().replaceAll("[^A-Za-z0-9._-]", "-");
        } catch (UnknownHostException e) {
            return "local";
        }
    }

    static boolean isProduction(Settings settings) {
        return settings.value(MODE) == WorkerMode.PRODUCTION;
    }

    static boolean debugs(Settings settings) {
        var debug = settings.valueOrNull(WorkerAdminSettings.DEBUG);
        return debug == null ? !isProduction(settings) : debug;
    }

    /** Who may see the admin pages: with the token, or from this machine where only people are. */
    static AdminAccess adminAccess(Settings settings) {
        return WorkerAdminSettings.access(settings, IsolationSettings.letsReachHost(settings));
    }

    static Path caches(Settings settings) {
        var configured = settings.valueOrNull(CACHE_DIRECTORY);
        if (configured != null) {
            return Path.of(configured).toAbsolutePath();
        }
        return isProduction(settings)
                ? Path.of("/mcp-cache")
                : Path.of(System.getProperty("user.home"), ".cache", "perigee");
    }

    /**
     * From the order to end to the death of the last process: half of it is the grace, the rest is
     * for those that must be killed.
     */
    static Duration terminationLimit(Settings settings) {
        return settings.value(InstanceSettings.TERMINATION_GRACE).multipliedBy(2).plus(KILL_TIME);
    }

    static InstanceOptions instances(Settings settings) {
        var options = InstanceSettings.read(settings);
        var openToAll = options.allowedCommands().contains("*");
        return openToAll && isProduction(settings)
                ? options.withAllowedCommands(PRODUCTION_COMMANDS)
                : options;
    }
}

package dev.perigee.worker.process.isolation;

import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import dev.perigee.worker.process.DiskReserve;
import dev.perigee.worker.process.TreeLimits;
import dev.perigee.worker.process.network.NetworkLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The configuration keys of isolation; part of the worker's. */
public final class IsolationSettings {
    private static final int MANY = 1_000_000;

    /** With less not even the jail and a shell start. */
    private static final long LEAST_MEMORY = 16 << 20;

    private static final SettingType<Long> SOME_BYTES =
            SettingType.bytes().where(bytes -> bytes > 0, "positive");
    private static final SettingType<Integer> COUNT = SettingType.integer(0, Integer.MAX_VALUE);
    private static final SettingType<Path> ABSOLUTE =
            SettingType.path().where(Path::isAbsolute, "absolute");

    static final Setting<IsolationMode> MODE =
            Setting.of(
                    "isolation.mode",
                    SettingType.oneOf(IsolationMode.class),
                    "auto",
                    "How servers are kept apart. auto is a jail: bubblewrap where it is installed,"
                            + " else nsjail. Where the jail is missing or does not work the worker"
                            + " does not start, and no other takes its place. none runs servers in"
                            + " the worker's own environment with its own rights: only for servers"
                            + " that are trusted, such as those of perigee dev.");
    static final Setting<String> IDS =
            Setting.of(
                    "isolation.ids",
                    SettingType.string()
                            .where(
                                    IdentitySearch::accepts,
                                    "auto, none or a range such as 200000-265535"),
                    "auto",
                    "Users and groups of the host for jails, so that each home has one of its own"
                            + " and all that runs there is that user's; the first is for package"
                            + " managers. Workers of one host need ranges of their own, or the same"
                            + " cache directory. auto takes 1900000000-1900065535, in a container"
                            + " with users of its own 20000-59999, where the worker may; where it"
                            + " may not, and with none, servers run as the worker's user, and the"
                            + " heartbeat says so.");
    static final Setting<NetworkMode> NETWORK =
            Setting.of(
                    "isolation.network",
                    NetworkMode.type(),
                    "policy",
                    "The network of jailed servers. policy: one of its own for each, from which"
                            + " only egress.* and config.egress let it out. host: that of the"
                            + " worker, loopback and all (formerly true). none: no way out, so"
                            + " packages must be installed already (formerly false).");
    static final Setting<Integer> CONNECTIONS =
            Setting.of(
                    "isolation.max-connections",
                    SettingType.integer(1, MANY),
                    "256",
                    "Connections of one server out of its own network at a time; more wait. Each"
                            + " takes two of the worker's open files.");
    static final Setting<Integer> TOTAL_CONNECTIONS =
            Setting.of(
                    "isolation.total-connections",
                    SettingType.integer(1, MANY),
                    "4096",
                    "The same of all servers together, of which those of one user have no more than"
                            + " an eighth. When three quarters are taken a server gets no more than"
                            + " 16.");
    static final Setting<Duration> CONNECTION_IDLE =
            Setting.of(
                    "isolation.connection-idle",
                    SettingType.duration(),
                    "1h",
                    "How long such a connection is kept on which neither side says anything; then it"
                            + " is broken off within some seconds, so that what is forgotten keeps"
                            + " no share. 0 is for ever.");
    static final Setting<Duration> CPU_TIME =
            Setting.of(
                    "isolation.cpu-time",
                    SettingType.duration()
                            .where(time -> time.toMillis() % 1000 == 0, "in whole seconds"),
                    "60s",
                    "CPU time of a jailed process in its whole life, after which it is killed; 0"
                            + " is unlimited.");
    static final Setting<Duration> TOTAL_CPU_TIME =
            Setting.of(
                    "isolation.total-cpu-time",
                    SettingType.duration(),
                    "10m",
                    "CPU time of all processes of a jail together, of ended ones too, after which"
                            + " the server is ended (limit cpu); 0 is unlimited.");
    static final Setting<Integer> PROCESSES =
            Setting.of(
                    "isolation.max-processes",
                    SettingType.integer(1, MANY),
                    "1000",
                    "Processes and threads of one jail. The system refuses more, except to a worker"
                            + " that runs as root, and a server that is found to have so many is"
                            + " ended (limit pids).");
    public static final Setting<Integer> TOTAL_PROCESSES =
            Setting.optional(
                    "isolation.total-processes",
                    COUNT,
                    "Processes and threads of all jails together, beyond which the largest server"
                            + " of the user who has the most is ended (limit pids). Without it:"
                            + " three quarters of what the container or machine may have, by"
                            + " pids.max of the worker's control groups, kernel.threads-max and"
                            + " kernel.pid_max. 0 is unlimited.");
    static final Setting<Integer> OPEN_FILES =
            Setting.of(
                    "isolation.max-open-files",
                    SettingType.integer(1, MANY),
                    "1024",
                    "Open files of one jailed process.");
    static final Setting<Long> FILE_SIZE =
            Setting.of(
                    "isolation.max-file-size",
                    SOME_BYTES,
                    "50MiB",
                    "Largest file that a jailed process can write; nsjail rounds up to MiB.");
    static final Setting<Long> TMP_SIZE =
            Setting.of(
                    "isolation.tmp-size",
                    SOME_BYTES,
                    "100MiB",
                    "Size of a jail's own /tmp, and again of its /dev/shm.");
    static final Setting<Long> APP_SIZE =
            Setting.of(
                    "isolation.app-size",
                    SOME_BYTES,
                    "300MiB",
                    "Size of the /app of a deployment from GitHub.");
    static final Setting<Long> MEMORY =
            Setting.of(
                    "isolation.memory",
                    SettingType.bytes()
                            .where(
                                    bytes -> bytes == 0 || bytes >= LEAST_MEMORY,
                                    "0 or at least 16MiB"),
                    "512MiB",
                    "Memory of all processes of a jail; a server that uses more is ended (limit"
                            + " oom). By the kernel where the worker's control group is delegated"
                            + " to it, else by the worker, which looks four times a second. 0 is"
                            + " unlimited.");
    public static final Setting<Long> TOTAL_MEMORY =
            Setting.optional(
                    "isolation.total-memory",
                    SettingType.bytes(),
                    "Memory of all jails together, beyond which the largest server of the user who"
                            + " uses the most is ended (limit oom). Without it: the memory of the"
                            + " container or machine less the worker's largest heap and a sixth"
                            + " (1 GiB at most, or a tenth where that is more), at least a quarter"
                            + " of it. 0 is unlimited.");
    static final Setting<Long> DISK =
            Setting.of(
                    "isolation.disk",
                    SettingType.bytes(),
                    "2GiB",
                    "Size of the files in a jail's home; a server that has more is ended (limit"
                            + " disk) and not started again until it has less. 0 is unlimited.");
    static final Setting<Long> DISK_RESERVE =
            Setting.optional(
                    "isolation.disk-reserve",
                    SettingType.bytes(),
                    "What stays free of the file system of worker.cache-directory. While less is"
                            + " free no jail is started, neither of servers nor of package"
                            + " managers, and the worker is not ready; while it is being filled, of"
                            + " the user who has the most files the server with the most is ended"
                            + " (limit disk), unless isolation.disk and isolation.disk-files are"
                            + " both 0. Without it: a twentieth of the file system, 1 GiB at most."
                            + " Of its inodes, where it has a fixed number, a twentieth, 100,000 at"
                            + " most, stays free in the same way. 0 is nothing.");
    static final Setting<Integer> DISK_FILES =
            Setting.of(
                    "isolation.disk-files",
                    COUNT,
                    "200000",
                    "Files and directories in a jail's home, in the same way; 0 is unlimited.");
    static final Setting<Long> DISK_IO =
            Setting.of(
                    "isolation.disk-io",
                    SettingType.bytes(),
                    "4GiB",
                    "Bytes that all processes of a jail read from and write to disks within a minute;"
                            + " a server with more is ended (limit io). What comes out of memory"
                            + " does not count. 0 is unlimited.");
    static final Setting<List<Path>> READ_ONLY =
            Setting.of(
                    "isolation.read-only-paths",
                    SettingType.listOf(ABSOLUTE),
                    "",
                    "Files and directories that jailed servers see besides /usr, /lib, /lib64,"
                            + " /bin, /sbin and /etc, such as /opt/node.");
    static final Setting<List<Path>> HIDDEN =
            Setting.of(
                    "isolation.hidden-paths",
                    SettingType.listOf(ABSOLUTE),
                    "/etc/perigee,/etc/shadow,/etc/shadow-,/etc/gshadow,/etc/gshadow-,"
                            + "/etc/ssl/private,/etc/ssh,/etc/sudoers,/etc/sudoers.d",
                    "Files and directories among those that jailed servers find empty. They run"
                            + " as the worker's user: name what that user can read and they must"
                            + " not, such as the files of link.token and link.tls.key.");
    static final Setting<List<String>> PASSED =
            Setting.of(
                    "isolation.pass-environment",
                    SettingType.listOf(SettingType.string()),
                    "",
                    "Names of the worker's own environment variables that jailed servers get, such"
                            + " as HTTPS_PROXY,npm_config_registry.");

    /** All keys, in the order of the reference page. */
    public static final SettingsSchema SCHEMA =
            SettingsSchema.of(
                    "isolation",
                    MODE,
                    IDS,
                    NETWORK,
                    CONNECTIONS,
                    TOTAL_CONNECTIONS,
                    CONNECTION_IDLE,
                    CPU_TIME,
                    TOTAL_CPU_TIME,
                    PROCESSES,
                    TOTAL_PROCESSES,
                    OPEN_FILES,
                    FILE_SIZE,
                    TMP_SIZE,
                    APP_SIZE,
                    MEMORY,
                    TOTAL_MEMORY,
                    DISK,
                    DISK_FILES,
                    DISK_RESERVE,
                    DISK_IO,
                    READ_ONLY,
                    HIDDEN,
                    PASSED);

    private IsolationSettings() {}

    /**
     * Whether servers that are not trusted have the host's network. Those without a jail are
     * trusted, by isolation.mode=none.
     */
    public static boolean letsReachHost(Settings settings) {
        return settings.value(MODE) != IsolationMode.NONE
                && settings.value(NETWORK) == NetworkMode.HOST;
    }

    /**
     * Whether jailed servers see something of what is at a path of the host, as links lead now.
     * Hidden is only what is below a directory that is there and no link. Servers without a jail
     * see all, and are trusted.
     */
    public static boolean letsSee(Settings settings, Path path) {
        return settings.value(MODE) != IsolationMode.NONE
                && SystemPaths.letsSee(settings.value(READ_ONLY), settings.value(HIDDEN), path);
    }

    /**
     * What stays free on the disk of jails.
     *
     * @param caches where all homes and packages are
     */
    public static DiskReserve diskReserve(Settings settings, Path caches) {
        return settings.value(MODE) == IsolationMode.NONE
                ? DiskReserve.NONE
                : DiskReserve.of(caches, settings.valueOrNull(DISK_RESERVE));
    }

    /** How many connections servers may have out of networks of their own. */
    static NetworkLimits connections(Settings settings) {
        return new NetworkLimits(
                settings.value(CONNECTIONS),
                settings.value(TOTAL_CONNECTIONS),
                settings.value(CONNECTION_IDLE));
    }

    /** What all processes of one jail may use together. */
    static TreeLimits limits(Settings settings) {
        return new TreeLimits(
                settings.value(MEMORY),
                settings.value(PROCESSES),
                settings.value(CPU_TIME),
                settings.value(TOTAL_CPU_TIME),
                settings.value(DISK),
                settings.value(DISK_FILES),
                settings.value(DISK_IO));
    }

    /** The policy that the settings say, with what the worker's environment has of it. */
    static JailPolicy policy(Settings settings, Map<String, String> workerEnvironment) {
        var passed = new HashMap<>(workerEnvironment);
        passed.keySet().retainAll(settings.value(PASSED));
        return new JailPolicy(
                settings.value(NETWORK),
                settings.value(CPU_TIME),
                settings.value(PROCESSES),
                settings.value(OPEN_FILES),
                settings.value(FILE_SIZE),
                settings.value(TMP_SIZE),
                settings.value(APP_SIZE),
                settings.value(MEMORY),
                settings.value(READ_ONLY),
                settings.value(HIDDEN),
                passed);
    }
}

package dev.perigee.gateway.link;

import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import dev.perigee.protocol.tls.PemFile;
import dev.perigee.protocol.tls.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Configuration keys of the gateway's links; {@code docs/reference/configuration.md} is generated
 * from them.
 */
public final class LinkSettings {
    private static final SettingType<WorkerSource> SOURCE =
            new SettingType<>(WorkerSource.EXPECTS, WorkerSource::parse);
    private static final SettingType<Duration> POSITIVE =
            SettingType.duration().where(duration -> duration.isPositive(), "positive");

    public static final Setting<List<WorkerSource>> WORKERS =
            Setting.required(
                    "workers",
                    SettingType.listOf(SOURCE).where(list -> !list.isEmpty(), "at least one"),
                    "URLs of the workers' link servers. Their ids are learned when they answer."
                            + " With dns+ there is a worker at each address of the host name (of"
                            + " IPv4, where it has such); certificates must name that host. With"
                            + " srv+ there is one at each target of the SRV records.");
    public static final Setting<Duration> REFRESH =
            Setting.of(
                    "workers.refresh",
                    POSITIVE,
                    "30s",
                    "How often names in workers are looked up again. One without an answer keeps"
                            + " the workers it had.");
    public static final Setting<String> TOKEN =
            Setting.optional(
                            "link.token",
                            SettingType.string(),
                            "Secret that the workers have too. Either side proves to the other that it has"
                                    + " it, before anything else, and neither sends it: what"
                                    + " cannot prove it is no worker. Without it no proof is"
                                    + " given or asked for, but for TLS.")
                    .asSecret();
    public static final Setting<Path> TLS_CA =
            Setting.optional(
                    "link.tls.ca",
                    SettingType.path(),
                    "PEM file with the certificates of those who sign the certificates of wss://"
                            + " workers. Without it the JDK's own. Like the other TLS files it is"
                            + " looked at again each time a worker is dialled.");
    public static final Setting<Path> TLS_CERTIFICATE =
            Setting.optional(
                    "link.tls.certificate",
                    SettingType.path(),
                    "PEM file with the gateway's certificate and those of its issuers, for"
                            + " workers with link.tls.client-ca.");
    public static final Setting<Path> TLS_KEY =
            Setting.optional(
                    "link.tls.key",
                    SettingType.path(),
                    "PEM file with the certificate's private key, PKCS#8, not encrypted.");
    public static final Setting<Duration> CONNECT_TIMEOUT =
            Setting.of(
                    "link.connect-timeout",
                    POSITIVE,
                    "5s",
                    "How long one attempt to reach a worker may take.");
    public static final Setting<Duration> ANSWER_TIMEOUT =
            Setting.of(
                    "link.answer-timeout",
                    POSITIVE,
                    "10s",
                    "How long a worker may take to answer hello and attach.");
    public static final Setting<Duration> PING_INTERVAL =
            Setting.of(
                    "link.ping-interval",
                    POSITIVE,
                    "1s",
                    "How often a link is pinged. A gateway that has missed a worker for six times as"
                            + " long asks its group whether another one reaches it.");
    public static final Setting<Duration> DEAD_AFTER =
            Setting.of(
                    "link.dead-after",
                    POSITIVE,
                    "10s",
                    "A link without a pong for this long is dead and is dialled again.");
    public static final Setting<Duration> REFUSED_FOR =
            Setting.of(
                    "link.refused-for",
                    SettingType.duration(),
                    "5s",
                    "When a worker's side ended a link and its host then refuses connections for"
                            + " so long, the worker is dead, and its watchdog has ended its"
                            + " servers: they start elsewhere at once. Only where nothing that"
                            + " changes addresses stands between. 0s for never, as where a"
                            + " firewall may reset links, or an address moves to another host.");
    public static final Setting<Duration> RECOVERY_MARGIN =
            Setting.of(
                    "link.recovery-margin",
                    SettingType.duration(),
                    "5s",
                    "How long before a worker's retention ends a broken link gives up. Not less than"
                            + " the worker's link.ping-interval: the retention begins with the last"
                            + " ping that was answered.");
    public static final Setting<Duration> RETENTION_SURPLUS =
            Setting.of(
                    "link.retention-surplus",
                    SettingType.duration(),
                    "15s",
                    "By how much a worker's retention must exceed the consumer group's session"
                            + " timeout; a worker with less is refused.");
    public static final Setting<Duration> LEASE =
            Setting.of(
                    "link.lease",
                    POSITIVE,
                    "75s",
                    "For how long workers keep a gateway's sessions after its consumer group last"
                            + " accepted a commit; then their link.retention begins. Processes"
                            + " outlive a broker that is away for so long. A gateway itself falls"
                            + " silent after group.session-timeout. A worker that is lost together"
                            + " with its gateway is replaced so much later, since it may run on,"
                            + " cut off. The same for all gateways of a fleet, and at least"
                            + " group.session-timeout and link.dead-after.");
    public static final Setting<Duration> BACKOFF_MIN =
            Setting.of(
                    "link.backoff-min",
                    POSITIVE,
                    "100ms",
                    "Ceiling of the first random delay before a worker is dialled again.");
    public static final Setting<Duration> BACKOFF_MAX =
            Setting.of("link.backoff-max", POSITIVE, "2s", "Ceiling of the last such delay.");
    public static final Setting<Duration> RECOVERY_BACKOFF_MAX =
            Setting.of(
                    "link.recovery-backoff-max",
                    POSITIVE,
                    "200ms",
                    "The same while a broken link recovers: calls wait for it, and not for long.");
    public static final Setting<Long> CREDIT =
            Setting.of(
                    "link.credit",
                    SettingType.bytes().where(bytes -> bytes > 0, "positive"),
                    "4MiB",
                    "Events that may be on the way from a worker for one partition.");
    public static final Setting<Long> SEND_BUFFER =
            Setting.of(
                    "link.send-buffer",
                    SettingType.bytes()
                            .where(
                                    bytes -> bytes >= 65_536 && bytes <= 1L << 30,
                                    "from 64KiB to 1GiB"),
                    "8MiB",
                    "Orders that may wait to be written to one worker.");

    public static final SettingsSchema SCHEMA =
            SettingsSchema.of(
                            "gateway",
                            WORKERS,
                            REFRESH,
                            TOKEN,
                            TLS_CA,
                            TLS_CERTIFICATE,
                            TLS_KEY,
                            CONNECT_TIMEOUT,
                            ANSWER_TIMEOUT,
                            PING_INTERVAL,
                            DEAD_AFTER,
                            REFUSED_FOR,
                            RECOVERY_MARGIN,
                            RETENTION_SURPLUS,
                            LEASE,
                            BACKOFF_MIN,
                            BACKOFF_MAX,
                            RECOVERY_BACKOFF_MAX,
                            CREDIT,
                            SEND_BUFFER)
                    .withRule(LinkSettings::pingsBeforeDead)
                    .withRule(LinkSettings::leaseOutlivesDetection)
                    .withRule(settings -> TlsFiles.unpaired(settings, TLS_CERTIFICATE, TLS_KEY))
                    .withRule(LinkSettings::tlsIsUsed);

    private LinkSettings() {}

    /**
     * The options that the settings say.
     *
     * @param groupSessionTimeout after which the consumer group takes a gateway for dead
     */
    public static LinkOptions options(
            Settings settings, String gatewayId, Duration groupSessionTimeout) {
        return new LinkOptions(
                gatewayId,
                settings.value(WORKERS),
                settings.value(REFRESH),
                settings.valueOrNull(TOKEN),
                encrypts(settings)
                        ? new TlsFiles(
                                PemFile.of(settings, TLS_CERTIFICATE),
                                PemFile.of(settings, TLS_KEY),
                                PemFile.of(settings, TLS_CA))
                        : null,
                groupSessionTimeout.plus(settings.value(RETENTION_SURPLUS)),
                settings.value(LEASE),
                settings.value(CREDIT),
                Math.toIntExact(settings.value(SEND_BUFFER)),
                new LinkOptions.Timing(
                        settings.value(CONNECT_TIMEOUT),
                        settings.value(ANSWER_TIMEOUT),
                        settings.value(PING_INTERVAL),
                        settings.value(DEAD_AFTER),
                        settings.value(REFUSED_FOR),
                        settings.value(RECOVERY_MARGIN),
                        settings.value(BACKOFF_MIN),
                        settings.value(BACKOFF_MAX),
                        settings.value(RECOVERY_BACKOFF_MAX)));
    }

    private static boolean encrypts(Settings settings) {
        return settings.value(WORKERS).stream().anyMatch(WorkerSource::isEncrypted);
    }

    private static @Nullable String tlsIsUsed(Settings settings) {
        if (encrypts(settings)) {
            return null;
        }
        for (var setting : List.of(TLS_CA, TLS_CERTIFICATE)) {
            if (settings.valueOrNull(setting) != null) {
                return setting + " is set and no URL in workers is one of wss://";
            }
        }
        return null;
    }

    private static @Nullable String leaseOutlivesDetection(Settings settings) {
        return settings.value(DEAD_AFTER).compareTo(settings.value(LEASE)) <= 0
                ? null
                : "link.lease must not be shorter than link.dead-after";
    }

    private static @Nullable String pingsBeforeDead(Settings settings) {
        return settings.value(PING_INTERVAL).compareTo(settings.value(DEAD_AFTER)) < 0
                ? null
                : "link.ping-interval must be shorter than link.dead-after";
    }
}

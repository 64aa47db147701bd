package dev.perigee.worker.session;

import dev.perigee.protocol.settings.HostPort;
import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import dev.perigee.protocol.tls.PemFile;
import dev.perigee.protocol.tls.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Configuration keys of the link's server; part of the worker's. */
public final class LinkServerSettings {
    private static final SettingType<Duration> POSITIVE =
            SettingType.duration().where(Duration::isPositive, "more than zero");
    private static final SettingType<Long> SOME_BYTES =
            SettingType.bytes().where(bytes -> bytes > 0, "positive");

    public static final Setting<HostPort> LISTEN =
            Setting.of(
                    "link.listen",
                    SettingType.hostPort(),
                    "127.0.0.1:7070",
                    "Where gateways connect. An address that others than this machine can reach"
                            + " needs link.token or link.tls.client-ca. Port 0 takes any free"
                            + " one.");
    public static final Setting<String> TOKEN =
            Setting.optional(
                            "link.token",
                            SettingType.string(),
                            "Secret that the gateways have too. Either side proves to the other that"
                                    + " it has it, before anything else, and neither sends it;"
                                    + " that older gateways send it is accepted. Without it,"
                                    + " and without"
                                    + " link.tls.client-ca, everybody on this machine may connect,"
                                    + " so one is needed where jailed servers have the network.")
                    .asSecret();
    public static final Setting<Path> TLS_CERTIFICATE =
            Setting.optional(
                    "link.tls.certificate",
                    SettingType.path(),
                    "PEM file with the worker's certificate and those of its issuers. With it the"
                            + " link is wss://, without it not encrypted.");
    public static final Setting<Path> TLS_KEY =
            Setting.optional(
                    "link.tls.key",
                    SettingType.path(),
                    "PEM file with the certificate's private key, PKCS#8, not encrypted.");
    public static final Setting<Path> TLS_CLIENT_CA =
            Setting.optional(
                    "link.tls.client-ca",
                    SettingType.path(),
                    "PEM file with the certificates of those who sign gateways' certificates. With"
                            + " it who has no such certificate is refused (mutual TLS), in"
                            + " addition to link.token where both are set.");
    public static final Setting<Duration> TLS_RELOAD_INTERVAL =
            Setting.of(
                    "link.tls.reload-interval",
                    POSITIVE,
                    "10s",
                    "How often the TLS files are looked at; when they were replaced, new"
                            + " connections use the new ones.");
    public static final Setting<Duration> PING_INTERVAL =
            Setting.of("link.ping-interval", POSITIVE, "5s", "How often a gateway is pinged.");
    public static final Setting<Duration> DEAD_AFTER =
            Setting.of(
                    "link.dead-after",
                    POSITIVE,
                    "10s",
                    "A connection on which nothing arrives for this long, pongs included, is cut."
                            + " For so long after the last ping that was answered was sent it holds"
                            + " its sessions. Not longer than the gateways' link.dead-after.");
    public static final Setting<Integer> MAX_ORDERS =
            Setting.of(
                    "link.max-orders",
                    SettingType.integer(1, 1_000_000),
                    "4096",
                    "Orders of one gateway that may be under way; more are refused as overloaded.");
    public static final Setting<Long> OUTBOUND =
            Setting.of(
                    "link.outbound",
                    SOME_BYTES,
                    "4MiB",
                    "Events that may wait in one connection to be written.");
    public static final Setting<Duration> HEARTBEAT_INTERVAL =
            Setting.of(
                    "heartbeat.interval",
                    POSITIVE,
                    "30s",
                    "How often the worker says how it is; the first time at once.");

    /** All keys, in the order of the reference page. */
    public static final SettingsSchema SCHEMA =
            SettingsSchema.of(
                            "link",
                            LISTEN,
                            TOKEN,
                            TLS_CERTIFICATE,
                            TLS_KEY,
                            TLS_CLIENT_CA,
                            TLS_RELOAD_INTERVAL,
                            PING_INTERVAL,
                            DEAD_AFTER,
                            MAX_ORDERS,
                            OUTBOUND,
                            HEARTBEAT_INTERVAL)
                    .withRule(
                            settings ->
                                    settings.value(DEAD_AFTER)
                                                            .compareTo(
                                                                    settings.value(PING_INTERVAL))
                                                    > 0
                                            ? null
                                            : "link.dead-after must be longer than"
                                                    + " link.ping-interval")
                    .withRule(LinkServerSettings::tlsIsWhole);

    private LinkServerSettings() {}

    private static @Nullable String tlsIsWhole(Settings settings) {
        var unpaired = TlsFiles.unpaired(settings, TLS_CERTIFICATE, TLS_KEY);
        if (unpaired != null) {
            return unpaired;
        }
        return settings.valueOrNull(TLS_CLIENT_CA) != null
                        && settings.valueOrNull(TLS_CERTIFICATE) == null
                ? "link.tls.client-ca is set and link.tls.certificate is not: set that and"
                        + " link.tls.key too"
                : null;
    }

    /** The options that the settings say. */
    public static LinkServerOptions read(Settings settings) {
        return new LinkServerOptions(
                settings.value(LISTEN),
                settings.valueOrNull(TOKEN),
                tls(settings),
                settings.value(PING_INTERVAL),
                settings.value(DEAD_AFTER),
                settings.value(MAX_ORDERS),
                settings.value(OUTBOUND));
    }

    private static @Nullable TlsOptions tls(Settings settings) {
        var certificate = PemFile.of(settings, TLS_CERTIFICATE);
        if (certificate == null) {
            return null;
        }
        return new TlsOptions(
                new TlsFiles(
                        certificate,
                        PemFile.of(settings, TLS_KEY),
                        PemFile.of(settings, TLS_CLIENT_CA)),
                settings.value(TLS_RELOAD_INTERVAL));
    }
}

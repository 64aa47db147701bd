package dev.perigee.worker.mcp;

import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import dev.perigee.worker.egress.EgressSettings;
import java.time.Duration;

/** The configuration keys of connections to HTTP servers; part of the worker's. */
public final class HttpSettings {
    public static final Setting<Duration> CONNECT_TIMEOUT =
            Setting.of(
                    "http.connect-timeout",
                    SettingType.duration().where(Duration::isPositive, "positive"),
                    "10s",
                    "How long it may take to connect to an HTTP server; within the request's own"
                            + " time in any case.");
    public static final Setting<Duration> NOTICE_TIMEOUT =
            Setting.of(
                    "http.notice-timeout",
                    SettingType.duration().where(Duration::isPositive, "positive"),
                    "5s",
                    "How long an HTTP server may take to accept a notification, or the end of its"
                            + " session.");

    /** All keys, in the order of the reference page. */
    public static final SettingsSchema SCHEMA =
            SettingsSchema.of("http", CONNECT_TIMEOUT, NOTICE_TIMEOUT).with(EgressSettings.SCHEMA);

    private HttpSettings() {}

    /** The options that the settings say. */
    public static HttpOptions read(Settings settings) {
        return new HttpOptions(
                settings.value(CONNECT_TIMEOUT),
                settings.value(NOTICE_TIMEOUT),
                EgressSettings.read(settings));
    }
}

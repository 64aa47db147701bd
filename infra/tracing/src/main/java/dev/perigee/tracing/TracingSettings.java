package dev.perigee.tracing;

import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The configuration keys of tracing, the same for gateways and workers. */
public final class TracingSettings {
    private static final String TRACES = "v1/traces";
    private static final Pattern HEADER_NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");
    private static final Pattern HEADER_VALUE = Pattern.compile("[\\x20-\\x7e]+");

    static final Setting<URI> ENDPOINT =
            Setting.optional(
                    "tracing.endpoint",
                    new SettingType<>(
                            "an http or https address such as http://collector:4318, without"
                                    + " user and query",
                            TracingSettings::endpoint),
                    "OpenTelemetry collector that spans are sent to, by OTLP over HTTP; "
                            + TRACES
                            + " is appended. Without it no spans are made. Where the OpenTelemetry"
                            + " agent is attached it goes first, and this key is ignored.");
    static final Setting<Map<String, String>> HEADERS =
            Setting.optional(
                            "tracing.headers",
                            new SettingType<>(
                                    "NAME=VALUE, several separated by commas",
                                    TracingSettings::headers),
                            "Headers of requests to tracing.endpoint, such as"
                                    + " authorization=Bearer TOKEN.")
                    .asSecret();
    static final Setting<Path> CA =
            Setting.optional(
                    "tracing.ca",
                    SettingType.path(),
                    "PEM file with the certificates that vouch for an https tracing.endpoint."
                            + " Without it those of the JDK.");
    static final Setting<String> SERVICE_NAME =
            Setting.optional(
                    "tracing.service-name",
                    SettingType.string()
                            .where(name -> name.length() <= 200, "at most 200 characters"),
                    "The spans' service.name. Without it perigee-gateway or perigee-worker.");
    static final Setting<Double> SAMPLE_RATIO =
            Setting.of(
                    "tracing.sample-ratio",
                    SettingType.decimal(0, 1),
                    "1",
                    "How many of the traces that begin here are recorded, from 0 to 1. A request"
                            + " with a traceparent is recorded when that says so, whatever this"
                            + " is.");
    static final Setting<Integer> QUEUE =
            Setting.of(
                    "tracing.queue",
                    SettingType.integer(1, 100_000),
                    "4096",
                    "Spans that may wait to be sent; further ones are dropped, and counted.");
    static final Setting<Duration> EXPORT_TIMEOUT =
            Setting.of(
                    "tracing.export-timeout",
                    SettingType.duration()
                            .where(
                                    time -> time.toMillis() >= 100 && time.toMinutes() < 5,
                                    "at least 100ms, less than 5m"),
                    "10s",
                    "How long sending may take, repeats included, before its spans are lost.");
    static final Setting<Duration> FLUSH_TIMEOUT =
            Setting.of(
                    "tracing.flush-timeout",
                    SettingType.duration().where(time -> time.toSeconds() <= 30, "at most 30s"),
                    "3s",
                    "How long a part that stops waits for its last spans to be sent.");

    /** All keys, in the order of the reference page. */
    public static final SettingsSchema SCHEMA =
            SettingsSchema.of(
                    "tracing",
                    ENDPOINT,
                    HEADERS,
                    CA,
                    SERVICE_NAME,
                    SAMPLE_RATIO,
                    QUEUE,
                    EXPORT_TIMEOUT,
                    FLUSH_TIMEOUT);

    private TracingSettings() {}

    /** The options that the settings say, null where no spans are to be sent. */
    static @Nullable TracingOptions read(Settings settings) {
        var endpoint = settings.valueOrNull(ENDPOINT);
        if (endpoint == null) {
            return null;
        }
        var headers = settings.valueOrNull(HEADERS);
        return new TracingOptions(
                endpoint,
                headers == null ? Map.of() : headers,
                settings.valueOrNull(CA),
                settings.valueOrNull(SERVICE_NAME),
                settings.value(SAMPLE_RATIO),
                settings.value(QUEUE),
                settings.value(EXPORT_TIMEOUT),
                settings.value(FLUSH_TIMEOUT));
    }

    private static @Nullable URI endpoint(String text) {
        try {
            var uri = URI.create(text);
            boolean plain =
                    uri.getHost() != null
                            && uri.getUserInfo() == null
                            && uri.getQuery() == null
                            && uri.getFragment() == null;
            return plain && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
                    ? URI.create(text + (text.endsWith("/") ? "" : "/") + TRACES)
                    : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static @Nullable Map<String, String> headers(String text) {
        var headers = new LinkedHashMap<String, String>();
        for (var pair : text.split(",", -1)) {
            int at = pair.indexOf('=');
            var name = at < 0 ? "" : pair.substring(0, at).strip();
            var value = pair.substring(at + 1).strip();
            if (!HEADER_NAME.matcher(name).matches() || !HEADER_VALUE.matcher(value).matches()) {
                return null;
            }
            headers.put(name, value);
        }
        return Map.copyOf(headers);
    }
}

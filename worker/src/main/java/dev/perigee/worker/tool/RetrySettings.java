package dev.perigee.worker.tool;

import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import java.time.Duration;
import java.util.List;

/** The configuration keys of repeated requests; part of the worker's. */
public final class RetrySettings {
    public static final Setting<Integer> MAX_ATTEMPTS =
            Setting.of(
                    "retry.max-attempts",
                    SettingType.integer(1, 100),
                    "3",
                    "How often a request to an HTTP server that cannot be reached is tried.");
    public static final Setting<List<Duration>> DELAYS =
            Setting.of(
                    "retry.delays",
                    SettingType.listOf(SettingType.duration()),
                    "500ms,1s,2s",
                    "Pauses before the second, third and further attempts.");
    public static final Setting<Boolean> TRUST_HINTS =
            Setting.of(
                    "retry.trust-hints",
                    SettingType.bool(),
                    "true",
                    "Whether a call that the server may have received is repeated when the tool"
                            + " declares readOnlyHint or idempotentHint.");

    /** All keys, in the order of the reference page. */
    public static final SettingsSchema SCHEMA =
            SettingsSchema.of("retry", MAX_ATTEMPTS, DELAYS, TRUST_HINTS);

    private RetrySettings() {}

    /** The options that the settings say. */
    public static RetryOptions read(Settings settings) {
        return new RetryOptions(
                settings.value(MAX_ATTEMPTS), settings.value(DELAYS), settings.value(TRUST_HINTS));
    }
}

package dev.perigee.worker.session;

import dev.perigee.protocol.limit.RateLimit;
import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;

/** Configuration keys of a worker's concurrency limits; part of the worker's. */
public final class CallSettings {
    private static final int MANY = 1_000_000;

    public static final Setting<Integer> WORKER =
            Setting.of(
                    "worker.max-concurrent-calls",
                    SettingType.integer(1, MANY),
                    "1024",
                    "Requests that may run on the worker at once; gateways hold more back for their"
                            + " turn, and answer overloaded as their deadlines near.");
    public static final Setting<Long> OPEN_BYTES =
            Setting.optional(
                    "worker.open-bytes",
                    SettingType.bytes().where(bytes -> bytes > 0, "positive"),
                    "Arguments of all requests that run on the worker. A user may have as much of"
                            + " it as is still free; more requests are held back, as by"
                            + " worker.max-concurrent-calls. Without it an eighth of the heap.");
    public static final Setting<Integer> TEAM =
            Setting.of(
                    "limits.team.concurrency",
                    SettingType.integer(1, MANY),
                    "512",
                    "The same for the requests of one team on this worker.");
    public static final Setting<Double> TEAM_RATE =
            Setting.of(
                    "limits.team.rate",
                    SettingType.decimal(0, MANY),
                    "0",
                    "Requests a second of one team that are begun on this worker, on average; more"
                            + " are held back. 0 for as many as there are.");
    public static final Setting<Integer> TEAM_BURST =
            Setting.of(
                    "limits.team.burst",
                    SettingType.integer(1, MANY),
                    "1000",
                    "Requests that limits.team.rate allows at once after a pause.");

    /** All keys, in the order of the reference page. */
    public static final SettingsSchema SCHEMA =
            SettingsSchema.of("limits", WORKER, OPEN_BYTES, TEAM, TEAM_RATE, TEAM_BURST);

    private CallSettings() {}

    static CallLimits read(Settings settings) {
        return new CallLimits(
                settings.value(WORKER),
                settings.value(TEAM),
                new RateLimit(settings.value(TEAM_RATE), settings.value(TEAM_BURST)),
                settings.valueOrNull(OPEN_BYTES));
    }
}

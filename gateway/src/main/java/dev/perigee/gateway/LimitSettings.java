package dev.perigee.gateway;

import dev.perigee.gateway.partition.Installations;
import dev.perigee.gateway.partition.UserLimits;
import dev.perigee.protocol.limit.RateLimit;
import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import org.jspecify.annotations.Nullable;

/** Configuration keys of the limits of a user and a team; part of the gateway's. */
final class LimitSettings {
    static final Setting<Integer> CONCURRENCY =
            Setting.of(
                    "limits.user.concurrency",
                    SettingType.integer(1, 50_000),
                    "64",
                    "Requests of one user that may be at a worker at once; more wait for their turn.");
    static final Setting<Integer> QUEUE =
            Setting.of(
                    "limits.user.queue",
                    SettingType.integer(0, 50_000),
                    "1000",
                    "Requests of one user that may wait, fewer where many users have many; more are"
                            + " answered overloaded at once. Together with"
                            + " limits.user.concurrency at most half of partition.open-records.");
    static final Setting<Long> BYTES =
            Setting.of(
                    "limits.user.open-bytes",
                    SettingType.bytes().where(bytes -> bytes > 0, "positive"),
                    "8MiB",
                    "Arguments of one user's open requests; more are answered overloaded, but one"
                            + " alone is always taken. At most half of partition.open-bytes.");
    static final Setting<Double> RATE =
            Setting.of(
                    "limits.user.rate",
                    SettingType.decimal(0, 1_000_000),
                    "0",
                    "Requests a second that one user may have sent to a worker, on average; more"
                            + " wait for their turn. 0 for as many as there are.");
    static final Setting<Integer> BURST =
            Setting.of(
                    "limits.user.burst",
                    SettingType.integer(1, 1_000_000),
                    "100",
                    "Requests that limits.user.rate allows at once after a pause.");

    static final Setting<Integer> USER_INSTALLATIONS =
            Setting.of(
                    "limits.user.installations",
                    SettingType.integer(1, 1_000_000),
                    "100",
                    "Installations that one user of a team may have; a configure command for one"
                            + " more is rejected.");
    static final Setting<Integer> TEAM_INSTALLATIONS =
            Setting.of(
                    "limits.team.installations",
                    SettingType.integer(1, 10_000_000),
                    "10000",
                    "Installations that one team may have in the partitions of this gateway; a"
                            + " configure command for one more is rejected.");

    /** All keys, in the order of the reference page. */
    static final SettingsSchema SCHEMA =
            SettingsSchema.of(
                    "limits",
                    CONCURRENCY,
                    QUEUE,
                    BYTES,
                    RATE,
                    BURST,
                    USER_INSTALLATIONS,
                    TEAM_INSTALLATIONS);

    private LimitSettings() {}

    /**
     * @param openRecords of one topic partition
     */
    static UserLimits read(Settings settings, int openRecords) {
        return new UserLimits(
                settings.value(CONCURRENCY),
                settings.value(QUEUE),
                settings.value(BYTES),
                new RateLimit(settings.value(RATE), settings.value(BURST)),
                openRecords / 2);
    }

    static Installations installations(Settings settings) {
        return new Installations(
                settings.value(USER_INSTALLATIONS), settings.value(TEAM_INSTALLATIONS));
    }

    /** A topic partition that is full is read again when half of it is done. */
    static @Nullable String leaveRoomForOthers(Settings settings, int openRecords, long openBytes) {
        if (settings.value(CONCURRENCY) + settings.value(QUEUE) > openRecords / 2) {
            return "limits.user.concurrency and limits.user.queue together must be at most half of"
                    + " partition.open-records, or one user holds up the others of its partition";
        }
        return settings.value(BYTES) > openBytes / 2
                ? "limits.user.open-bytes must be at most half of partition.open-bytes, or one user"
                        + " holds up the others of its partition"
                : null;
    }
}

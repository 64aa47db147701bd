package dev.perigee.worker.oauth;

import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import java.time.Duration;

/** The configuration keys of OAuth for servers over HTTP; part of the worker's. */
public final class OAuthSettings {
    static final Setting<String> CLIENT =
            Setting.optional(
                    "oauth.client-metadata-url",
                    SettingType.string(),
                    "https address of the fleet's OAuth client metadata document, which is its"
                            + " client id where an installation has none. It must name"
                            + " oauth.redirect-uri, and no secret.");
    static final Setting<String> REDIRECT =
            Setting.optional(
                    "oauth.redirect-uri",
                    SettingType.string(),
                    "Page of the backend that users come back to after they authorized; it sends"
                            + " code, state and iss with the configuration. Without it users are not"
                            + " asked to authorize by the fleet: the backend gets tokens itself.");
    static final Setting<Duration> BEFORE =
            Setting.of(
                    "oauth.refresh-before",
                    SettingType.duration().where(Duration::isPositive, "positive"),
                    "5m",
                    "How long before it expires an access token is refreshed, up to half as much"
                            + " sooner by chance; a third of its time at most.");

    /** All keys, in the order of the reference page. */
    public static final SettingsSchema SCHEMA =
            SettingsSchema.of("oauth", CLIENT, REDIRECT, BEFORE);

    private OAuthSettings() {}

    /** The options that the settings say. */
    public static OAuthOptions read(Settings settings) {
        return new OAuthOptions(
                settings.valueOrNull(CLIENT),
                settings.valueOrNull(REDIRECT),
                settings.value(BEFORE));
    }
}

package dev.perigee.console;

import dev.perigee.protocol.access.AdminAccessSettings;
import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Configuration keys of the console's login by OpenID Connect; part of the gateway's. */
final class OidcSettings {
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    static final Setting<URI> ISSUER =
            Setting.optional(
                    "console.oidc.issuer",
                    SettingType.uri().where(OidcSettings::isSafe, "https but on loopback"),
                    "Issuer of an OpenID provider by which people log in to the console, as its"
                            + " tokens spell it. Tokens of console.tokens and admin.token hold as"
                            + " well, and admin.token is needed.");
    static final Setting<String> CLIENT_ID =
            Setting.optional(
                    "console.oidc.client-id",
                    SettingType.string(),
                    "Name that the provider gave to the console.");
    static final Setting<String> CLIENT_SECRET =
            Setting.optional(
                            "console.oidc.client-secret",
                            SettingType.string(),
                            "Secret that the provider gave to the console; none for a public"
                                    + " client.")
                    .asSecret();
    static final Setting<URI> REDIRECT_URL =
            Setting.optional(
                    "console.oidc.redirect-url",
                    SettingType.uri()
                            .where(
                                    uri ->
                                            isSafe(uri)
                                                    && uri.toString().endsWith(OidcPages.CALLBACK),
                                    "https but on loopback, that ends with " + OidcPages.CALLBACK),
                    "Where the provider sends browsers back: this gateway's console as they reach"
                            + " it, with /oidc/callback. The provider must know it.");
    static final Setting<List<String>> SCOPES =
            Setting.of(
                    "console.oidc.scopes",
                    SettingType.listOf(SettingType.string()),
                    "openid,profile",
                    "What is asked of the provider; openid is asked in any case.");
    static final Setting<String> NAME_CLAIM =
            Setting.of(
                    "console.oidc.name-claim",
                    SettingType.string(),
                    "preferred_username",
                    "Claim with the person's name for the audit topic, where it stands behind"
                            + " oidc: and before the claim sub in brackets. Without it sub alone.");
    static final Setting<String> ROLE_CLAIM =
            Setting.of(
                    "console.oidc.role-claim",
                    SettingType.string(),
                    "groups",
                    "Claim that decides the role, a text or several; of a claim within claims the"
                            + " names with dots between, such as realm_access.roles.");
    static final Setting<List<String>> READ = values("read");
    static final Setting<List<String>> OPERATE = values("operate");
    static final Setting<List<String>> ADMIN = values("admin");

    static final SettingsSchema SCHEMA =
            SettingsSchema.of(
                            "gateway",
                            ISSUER,
                            CLIENT_ID,
                            CLIENT_SECRET,
                            REDIRECT_URL,
                            SCOPES,
                            NAME_CLAIM,
                            ROLE_CLAIM,
                            READ,
                            OPERATE,
                            ADMIN)
                    .withRule(OidcSettings::isWhole);

    private OidcSettings() {}

    private static Setting<List<String>> values(String role) {
        return Setting.of(
                "console.oidc." + role + "-values",
                SettingType.listOf(SettingType.string()),
                "",
                "Values of the role claim that have the role " + role + "; the highest counts.");
    }

    /** Whether nobody between reads along; also of the provider's own endpoints. */
    static boolean isSafe(URI uri) {
        return "https".equals(uri.getScheme())
                || ("http".equals(uri.getScheme()) && LOOPBACK.contains(uri.getHost()));
    }

    /**
     * The rule that no login is left out: without an admin.token whoever comes from this machine is
     * let in, as a proxy on it does for everybody.
     */
    static @Nullable String unguarded(Settings settings) {
        return settings.valueOrNull(ISSUER) != null
                        && settings.valueOrNull(AdminAccessSettings.TOKEN) == null
                ? "console.oidc.issuer needs admin.token, or admin.token-file: without it the"
                        + " console asks nobody on this machine for a login"
                : null;
    }

    private static @Nullable String isWhole(Settings settings) {
        var needed =
                Stream.of(CLIENT_ID, REDIRECT_URL)
                        .filter(key -> settings.valueOrNull(key) == null)
                        .map(Setting::key)
                        .toList();
        boolean anyRole =
                Stream.of(READ, OPERATE, ADMIN).anyMatch(key -> !settings.value(key).isEmpty());
        if (settings.valueOrNull(ISSUER) == null) {
            return needed.size() < 2 || anyRole || settings.valueOrNull(CLIENT_SECRET) != null
                    ? "console.oidc.issuer is missing, which the other keys of console.oidc need"
                    : null;
        }
        if (!needed.isEmpty()) {
            return "console.oidc.issuer needs " + String.join(" and ", needed);
        }
        return anyRole
                ? null
                : "console.oidc.issuer needs one of console.oidc.read-values, operate-values and"
                        + " admin-values: nobody would have a role";
    }
}

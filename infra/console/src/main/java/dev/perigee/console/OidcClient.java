package dev.perigee.console;

import dev.perigee.protocol.audit.ActionRole;
import dev.perigee.protocol.settings.Settings;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The console as an OpenID provider knows it, and whom it takes for what. Immutable.
 *
 * @param secret null for a public client
 * @param values of the role claim that have a role
 */
record OidcClient(
        String issuer,
        String id,
        @Nullable String secret,
        URI redirect,
        List<String> scopes,
        String nameClaim,
        String roleClaim,
        Map<ActionRole, Set<String>> values) {
    /** Begins the names of people of a provider; names of tokens have no colon. */
    static final String PREFIX = "oidc:";

    private static final int LONGEST_NAME = 200;
    private static final int LONGEST_SUBJECT = 255;

    OidcClient {
        scopes = List.copyOf(scopes);
        values = Map.copyOf(values);
    }

    /** Null where no provider is configured. */
    static @Nullable OidcClient of(Settings settings) {
        var issuer = settings.valueOrNull(OidcSettings.ISSUER);
        if (issuer == null) {
            return null;
        }
        var scopes = new ArrayList<>(settings.value(OidcSettings.SCOPES));
        if (!scopes.contains("openid")) {
            scopes.addFirst("openid");
        }
        return new OidcClient(
                issuer.toString(),
                Objects.requireNonNull(settings.valueOrNull(OidcSettings.CLIENT_ID)),
                settings.valueOrNull(OidcSettings.CLIENT_SECRET),
                Objects.requireNonNull(settings.valueOrNull(OidcSettings.REDIRECT_URL)),
                scopes,
                settings.value(OidcSettings.NAME_CLAIM),
                settings.value(OidcSettings.ROLE_CLAIM),
                Map.of(
                        ActionRole.READ, Set.copyOf(settings.value(OidcSettings.READ)),
                        ActionRole.OPERATE, Set.copyOf(settings.value(OidcSettings.OPERATE)),
                        ActionRole.ADMIN, Set.copyOf(settings.value(OidcSettings.ADMIN))));
    }

    /** Whether browsers come by https, and may keep cookies for it only. */
    boolean isSecure() {
        return "https".equals(redirect.getScheme());
    }

    /**
     * Who has these claims. A provider gives a subject to one person only, and a name to whoever
     * asks for it: so a name stands with its subject.
     *
     * @throws LoginRefusedException when none of them gives a role, or a subject for the record
     */
    Person person(Map<String, Object> claims) throws LoginRefusedException {
        return person(claims, claims);
    }

    /**
     * The same.
     *
     * @param roles the claims that have the role
     * @throws LoginRefusedException when none of them gives a role, or a subject for the record
     */
    Person person(Map<String, Object> claims, Map<String, Object> roles)
            throws LoginRefusedException {
        if (!(claims.get("sub") instanceof String subject) || !isSubject(subject)) {
            throw new LoginRefusedException(
                    403, "The provider's claim sub for you is none that can be recorded.");
        }
        var name = nameOf(claims.get(nameClaim));
        var shown = name == null || name.equals(subject) ? subject : name + " (" + subject + ")";
        var held = texts(valueOf(roles));
        ActionRole highest = null;
        for (var role : ActionRole.values()) {
            if (values.getOrDefault(role, Set.of()).stream().anyMatch(held::contains)
                    && (highest == null || role.includes(highest))) {
                highest = role;
            }
        }
        if (highest == null) {
            throw new LoginRefusedException(
                    403,
                    "The provider knows you as "
                            + shown
                            + ", and none of what the claim "
                            + roleClaim
                            + " has gives you a role here.");
        }
        return new Person(PREFIX + shown, highest);
    }

    private static @Nullable String nameOf(@Nullable Object claim) {
        if (!(claim instanceof String text)) {
            return null;
        }
        var name = text.strip();
        return isPlain(name, LONGEST_NAME) ? name : null;
    }

    /** Without brackets, which are where a name ends. */
    private static boolean isSubject(String text) {
        return isPlain(text, LONGEST_SUBJECT)
                && text.equals(text.strip())
                && text.chars().noneMatch(it -> it == '(' || it == ')');
    }

    private static boolean isPlain(String text, int longest) {
        return !text.isBlank()
                && text.length() <= longest
                && text.codePoints().allMatch(OidcClient::isPlain);
    }

    /** Whether it is seen, and not as a part of its neighbour. */
    private static boolean isPlain(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.NON_SPACING_MARK,
                    Character.COMBINING_SPACING_MARK,
                    Character.ENCLOSING_MARK ->
                    false;
            case Character.SPACE_SEPARATOR -> point == ' ';
            default -> true;
        };
    }

    /** Whether roles can be told by these, or by the lack of them. */
    boolean hasRoleClaim(Map<String, Object> claims) {
        return valueOf(claims) != null;
    }

    private @Nullable Object valueOf(Map<String, Object> claims) {
        Object value = claims.get(roleClaim);
        if (value != null) {
            return value;
        }
        value = claims;
        for (var part : roleClaim.split("\\.", -1)) {
            value = value instanceof Map<?, ?> inner ? inner.get(part) : null;
        }
        return value;
    }

    private static Set<Object> texts(@Nullable Object value) {
        return value instanceof Collection<?> several
                ? Set.copyOf(several.stream().filter(String.class::isInstance).toList())
                : value instanceof String text ? Set.of(text) : Set.of();
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return "OidcClient[" + id + " at " + issuer + "]";
    }
}

package dev.perigee.local.replay;

import dev.perigee.local.masking.SecretField;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rules by which records are rewritten. A rule for one server goes before one for all; a value
 * without a rule is masked if it is taken for a secret. Immutable.
 *
 * @param teams new team ids by old ones
 * @param secrets by place and by name as in the configuration, those of headers in lower case
 * @param servers the same for servers of one slug only
 * @param fingerprint tells whether a resumed run has the rules it began with; shows no value
 * @param recordedServers where {@code perigee recording serve} serves: every server is one of those
 *     in the target; null leaves configurations as they are
 * @param pinned the version of a package that servers have in the target; null leaves all as they
 *     are
 */
public record Rules(
        Map<String, String> teams,
        Map<SecretField, Map<String, Replacement>> secrets,
        Map<String, Map<SecretField, Map<String, Replacement>>> servers,
        HostRules hosts,
        String fingerprint,
        @Nullable String recordedServers,
        @Nullable PackageVersion pinned) {
    public Rules {
        teams = Map.copyOf(teams);
        secrets = Map.copyOf(secrets);
        servers = Map.copyOf(servers);
    }

    /** No rules: secrets are masked, all else stays. */
    public static Rules none() {
        return new Rules(
                Map.of(), Map.of(), Map.of(), new HostRules(Map.of(), false), "none", null, null);
    }

    /** The same with every server answering from a recording. */
    public Rules withRecordedServers(String url) {
        return new Rules(teams, secrets, servers, hosts, fingerprint + " " + url, url, pinned);
    }

    /** The same with another version of a package. */
    public Rules withPackage(PackageVersion other) {
        var named = fingerprint + " " + other.name() + "@" + other.version();
        return new Rules(teams, secrets, servers, hosts, named, recordedServers, other);
    }

    String team(String id) {
        return teams.getOrDefault(id, id);
    }

    /**
     * What becomes of a value.
     *
     * @param slug of the server, null where there is none
     * @param isNamedSecret the configuration itself says that the value is a secret
     */
    Replacement replacement(
            SecretField place, @Nullable String slug, String name, boolean isNamedSecret) {
        var rule = slug == null ? null : rule(servers.getOrDefault(slug, Map.of()), place, name);
        if (rule == null) {
            rule = rule(secrets, place, name);
        }
        if (rule != null) {
            return rule;
        }
        return isNamedSecret || place.isSecret(name)
                ? new Replacement.Mask()
                : new Replacement.Keep();
    }

    private static @Nullable Replacement rule(
            Map<SecretField, Map<String, Replacement>> rules, SecretField place, String name) {
        var key = place == SecretField.HEADERS ? name.toLowerCase(Locale.ROOT) : name;
        return rules.getOrDefault(place, Map.of()).get(key);
    }
}

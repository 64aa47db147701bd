package dev.perigee.local.replay;

import dev.perigee.local.masking.Masks;
import dev.perigee.local.masking.SecretField;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Changes values and texts of one record by the rules. A secret that it has replaced is replaced
 * wherever else it stands in the record. For one thread.
 */
final class TextEditor {
    private static final Pattern URL =
            Pattern.compile(
                    "\\b([A-Za-z][A-Za-z0-9+.-]*://)([^\\s\"'<>\\\\/?#]*)([^\\s\"'<>\\\\]*)");

    /** Texts that are credentials by their form, whatever they are called. */
    private static final Pattern CREDENTIAL =
            Pattern.compile(
                    "\\b(gh[opsur]_|github_pat_|glpat-|sk-|xox[abeoprs]-|npm_|pypi-|AKIA|ASIA|AIza)"
                            + "[A-Za-z0-9_./+-]{8,}=*"
                            + "|\\beyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]*"
                            + "|(?i:\\bbearer) +[A-Za-z0-9_.~+/-]{8,}=*"
                            + "|-----BEGIN [A-Z ]*PRIVATE KEY-----[^\"]*");

    private static final int SHORTEST_SECRET = 8;

    private final Rules rules;
    private final Masks masks;
    private final RewriteFindings findings;
    private final @Nullable String slug;
    private final Map<String, String> replaced = new LinkedHashMap<>();
    private final Set<String> written = new HashSet<>();

    /**
     * @param slug of the server whose configuration it is; null for what is no configuration, where
     *     query parameters are masked only if their name sounds like a secret's
     */
    TextEditor(Rules rules, Masks masks, RewriteFindings findings, @Nullable String slug) {
        this.rules = rules;
        this.masks = masks;
        this.findings = findings;
        this.slug = slug;
    }

    /** What stands in the place of a named value. */
    String value(SecretField place, String name, String value, boolean isNamedSecret) {
        var replacement = rules.replacement(place, slug, name, isNamedSecret);
        if (place != SecretField.ARGS || !(replacement instanceof Replacement.Keep)) {
            findings.secret(place, name, slug == null ? "" : slug, replacement);
        }
        return switch (replacement) {
            case Replacement.Keep() -> text(value);
            case Replacement.Value(var text) -> replaced(value, text);
            case Replacement.Mask() -> mask(value);
        };
    }

    /** A mask in the place of a value; none for an empty one. */
    String mask(String value) {
        return value.isEmpty() ? value : replaced(value, masks.of(value));
    }

    private String replaced(String value, String by) {
        if (isDistinctive(value)) {
            replaced.put(value, by);
        }
        written.add(by);
        return by;
    }

    /** Not a word that may stand elsewhere by chance. */
    private static boolean isDistinctive(String value) {
        return value.length() >= SHORTEST_SECRET
                && value.chars().anyMatch(Character::isDigit)
                && value.chars().anyMatch(Character::isLetter);
    }

    /** Any other text: hosts, credentials in URLs, and what is a secret elsewhere. */
    String text(String text) {
        var edited = text;
        for (var secret : replaced.entrySet()) {
            edited = edited.replace(secret.getKey(), secret.getValue());
        }
        if (rules.hosts().names(edited)) {
            return host(edited);
        }
        edited = URL.matcher(edited).replaceAll(match -> Matcher.quoteReplacement(url(match)));
        return CREDENTIAL
                .matcher(edited)
                .replaceAll(match -> Matcher.quoteReplacement(credential(match.group())));
    }

    private String credential(String found) {
        return written.stream().anyMatch(found::contains) ? found : mask(found);
    }

    private String url(MatchResult match) {
        var authority = match.group(2);
        int at = authority.lastIndexOf('@');
        var user = at < 0 ? "" : userInfo(authority.substring(0, at)) + "@";
        var host = authority.substring(at + 1);
        return match.group(1) + user + (host.isEmpty() ? "" : host(host)) + tail(match.group(3));
    }

    private String userInfo(String userInfo) {
        int colon = userInfo.indexOf(':');
        var secret = userInfo.substring(colon + 1);
        return userInfo.substring(0, colon + 1)
                + (written.contains(secret) ? secret : mask(secret));
    }

    private String host(String host) {
        var to = rules.hosts().replace(host);
        findings.host(host, to);
        return to;
    }

    private String tail(String pathAndQuery) {
        int question = pathAndQuery.indexOf('?');
        if (question < 0) {
            return pathAndQuery;
        }
        int hash = pathAndQuery.indexOf('#', question);
        var query = pathAndQuery.substring(question + 1, hash < 0 ? pathAndQuery.length() : hash);
        return pathAndQuery.substring(0, question + 1)
                + Arrays.stream(query.split("&", -1))
                        .map(this::parameter)
                        .collect(Collectors.joining("&"))
                + (hash < 0 ? "" : pathAndQuery.substring(hash));
    }

    private String parameter(String parameter) {
        int equals = parameter.indexOf('=');
        if (equals < 0) {
            return parameter;
        }
        var name = parameter.substring(0, equals);
        var value = parameter.substring(equals + 1);
        if (written.contains(value) || (slug == null && !SecretField.soundsSecret(name))) {
            return parameter;
        }
        var to = value(SecretField.QUERY, name, value, false);
        return name
                + "="
                + (to.equals(value) ? value : URLEncoder.encode(to, StandardCharsets.UTF_8));
    }
}

package dev.perigee.console;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.perigee.protocol.audit.ActionRole;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tokens of the console's people, each with a name and a role: one a line, {@code NAME ROLE TOKEN}.
 * Holds digests only, which are compared in constant time. Immutable.
 */
final class ConsoleTokens {
    /** Nobody has one. */
    static final ConsoleTokens NONE = new ConsoleTokens(List.of());

    private static final int MOST = 200;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._@-]{1,100}");
    private static final Pattern TOKEN = Pattern.compile("[!-~]{16,500}");
    private static final String SCHEME = "Bearer ";

    private final List<Holder> holders;

    private ConsoleTokens(List<Holder> holders) {
        this.holders = List.copyOf(holders);
    }

    @SuppressWarnings("ArrayRecordComponent") // compared in constant time only
    private record Holder(Person person, byte[] digest) {}

    /** Tokens from text; null where a line is none, or a name or a token is there twice. */
    static @Nullable ConsoleTokens parse(String text) {
        var holders = new ArrayList<Holder>();
        var seen = new HashSet<String>();
        for (var line : text.lines().map(String::strip).toList()) {
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            var parts = line.split("\\s+", -1);
            var role = parts.length == 3 ? ActionRole.of(parts[1]) : null;
            if (role == null
                    || holders.size() == MOST
                    || !NAME.matcher(parts[0]).matches()
                    || !TOKEN.matcher(parts[2]).matches()
                    || !seen.add("name " + parts[0])
                    || !seen.add("token " + parts[2])) {
                return null;
            }
            holders.add(new Holder(new Person(parts[0], role), digest(parts[2])));
        }
        return holders.isEmpty() ? null : new ConsoleTokens(holders);
    }

    boolean isEmpty() {
        return holders.isEmpty();
    }

    /** The person whose token an {@code Authorization} header has; null where it is nobody's. */
    @Nullable Person person(@Nullable String authorization) {
        if (authorization == null
                || !authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return null;
        }
        var shown = digest(authorization.substring(SCHEME.length()).strip());
        Person found = null;
        for (var holder : holders) { // to the end, so that the time does not tell which
            if (MessageDigest.isEqual(holder.digest(), shown)) {
                found = holder.person();
            }
        }
        return found;
    }

    @Override
    public String toString() {
        return "(secret)";
    }

    private static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}

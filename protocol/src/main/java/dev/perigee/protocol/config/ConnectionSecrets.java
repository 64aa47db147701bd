package dev.perigee.protocol.config;

import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds the passwords in what says how to connect to a database, and has no URL's usual form. */
final class ConnectionSecrets {
    /** A password with a slash: what is behind the colon is no port then. */
    private static final Pattern SLASHED =
            Pattern.compile(
                    "://[^\\s/@:]*+:(?!\\d*+(?:/|$))"
                            + "([^\\s@\"'?#/]{0,300}+/[^\\s@\"'?#]{0,300}+)@");

    /** {@code //user:V@host} without a scheme. */
    private static final Pattern SCHEMELESS =
            Pattern.compile("(?<![\\w:/.])//[^\\s/?#\"'<>@:]{0,300}+:([^\\s/@\"'<>?#]{1,300}+)@");

    /** {@code ;Password=V} of a connection string. */
    private static final Pattern PROPERTY =
            Pattern.compile(";\\s*+([A-Za-z][\\w .-]*+)=([^;\\s\"']++)");

    private static final Pattern ORACLE =
            Pattern.compile("jdbc:oracle:\\w{1,20}+:[^\\s/@\"']{0,300}+/([^\\s@\"']{1,300}+)@");
    private static final String HOW_TO_LOG_IN = "authentication";

    private ConnectionSecrets() {}

    /** In the text from one place to another, in no order. */
    static Stream<SecretPart> in(String text, int from, int to) {
        return Stream.of(
                        found(SLASHED, text, from, to).map(found -> part(found, 1)),
                        found(SCHEMELESS, text, from, to).map(found -> part(found, 1)),
                        found(ORACLE, text, from, to).map(found -> part(found, 1)),
                        found(PROPERTY, text, from, to)
                                .filter(found -> isSecret(found.group(1).strip()))
                                .map(found -> part(found, 2)))
                .flatMap(parts -> parts);
    }

    private static Stream<MatchResult> found(Pattern pattern, String text, int from, int to) {
        return pattern.matcher(text).region(from, to).results();
    }

    private static boolean isSecret(String name) {
        return SecretNames.isSecret(name) && !name.equalsIgnoreCase(HOW_TO_LOG_IN);
    }

    private static SecretPart part(MatchResult found, int group) {
        return new SecretPart(found.start(group), found.end(group));
    }
}

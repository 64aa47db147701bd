package dev.perigee.worker.secret;

import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Address of a secret: a user of a team, and a name among the user's. Who writes a configuration
 * chooses the name only. Each part can be the name of a file and an argument of a program. A part
 * that cannot makes the constructor throw {@link IllegalArgumentException}.
 */
record SecretAddress(String teamId, String userId, String name) {
    /** Not hidden, no way up, no flag, no separator. */
    private static final Pattern PART =
            Pattern.compile("[^.\\-/\\\\\\p{Cntrl}][^/\\\\\\p{Cntrl}]*");

    SecretAddress {
        if (!Stream.of(teamId, userId, name).allMatch(SecretAddress::isPart)) {
            throw new IllegalArgumentException("not a secret's address");
        }
    }

    /**
     * @throws SecretException when there can be none, since ids may be such as ".."
     */
    static SecretAddress of(String teamId, String userId, String name) throws SecretException {
        if (!isPart(teamId) || !isPart(userId)) {
            throw new SecretException(
                    name,
                    "a team_id or user_id that begins with '.' or '-', or has a backslash, has no"
                            + " secrets");
        }
        return new SecretAddress(teamId, userId, name);
    }

    private static boolean isPart(String text) {
        return PART.matcher(text).matches();
    }
}

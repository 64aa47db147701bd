package dev.perigee.protocol.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Finds the secrets of one text. Each pattern takes time in proportion to the text. For one use.
 */
final class TextSecrets {
    /** {@code --name=value}, {@code -name=value} or {@code NAME=value}. */
    private static final Pattern NAMED =
            Pattern.compile("-{0,3}([A-Za-z_][\\w.-]*+)=(.+)", Pattern.DOTALL);

    private static final Pattern HEADER =
            Pattern.compile("\\s*+([\\w-]++)\\s*+[:=]\\s*+(.+)", Pattern.DOTALL);
    private static final Pattern URL =
            Pattern.compile("(?<![\\w+.-])[A-Za-z][\\w+.-]*+://([^\\s/?#\"'<>]*+)([^\\s\"'<>]*+)");
    private static final Pattern PARAMETER = Pattern.compile("[?&#;]([^=&#;?]++)=([^&#;]++)");

    private static final Pattern USER =
            Pattern.compile(
                    "(?<![\\w.+/:@-])([\\w.+-]++(?:@[\\w-]++\\.[\\w.-]++)?):([^\\s@/\"']{1,300}+)@(?:[\\w.(-]|$)");

    private static final Pattern HEADER_FLAG = Pattern.compile("(?:-H|--headers?+(?=\\s))=?+\\s*+");
    private static final Pattern PASSWORD_OF = Pattern.compile("[^:\\s]++:(.+)", Pattern.DOTALL);
    private static final List<String> NO_USERS =
            List.of("npm", "jsr", "file", "git", "github", "gitlab", "bitbucket", "workspace");

    /** Passwords of users that are tokens. */
    private static final Set<String> NO_PASSWORDS = Set.of("", "x-oauth-basic");

    private static final Pattern SCHEME =
            Pattern.compile(
                    "(?i:bearer|basic|token|digest|apikey|api-key|negotiate|bot)\\s++(.+)",
                    Pattern.DOTALL);

    /** Credentials by their form, whatever they are called. */
    private static final Pattern CREDENTIAL =
            Pattern.compile(
                    "(?<![\\w-])(?:gh[opsur]_|github_pat_|glpat-|sk-|xox[abeoprs]-|npm_|pypi-|AKIA|ASIA"
                            + "|AIza)[A-Za-z0-9_./+-]{8,}+=*+"
                            + "|(?<![\\w-])eyJ[A-Za-z0-9_-]{8,}+\\.[A-Za-z0-9_-]++\\.[A-Za-z0-9_-]*+"
                            + "|(?<=://hooks\\.slack\\.com/services/)[\\w/]{8,}+"
                            + "|(?<=://api\\.telegram\\.org/bot)[\\w:-]{8,}+"
                            + "|(?<=(?i:bearer ))[A-Za-z0-9_.~+/-]{8,}+=*+");

    /** The flag before a shell's command line: -c, -lc, -exec. */
    private static final Pattern SHELL = Pattern.compile("[a-z]{0,3}c");

    private static final Pattern WORD =
            Pattern.compile("\"[^\"]*+\"|'[^']*+'|(?:[^\\s\"'\\\\]|\\\\[\\s\\S])++|[\"'\\\\]");

    /** Assignments, quotes and JSON within each other; what is deeper counts as a secret. */
    private static final int MAX_NESTED = 8;

    private final String text;
    private final List<SecretPart> found = new ArrayList<>();

    private int nested;

    TextSecrets(String text) {
        this.text = text;
    }

    /**
     * The secrets of an argument, in order and without overlaps.
     *
     * @param flag the name of the flag before it; empty where there is none
     */
    List<SecretPart> ofArgument(String flag) {
        argument(flag, 0, text.length());
        found.sort(Comparator.comparingInt(SecretPart::from));
        var parts = new ArrayList<SecretPart>();
        for (var part : found) {
            if (parts.isEmpty() || part.from() >= parts.getLast().to()) {
                parts.add(part);
            } else if (part.to() > parts.getLast().to()) {
                parts.add(new SecretPart(parts.removeLast().from(), part.to()));
            }
        }
        return parts;
    }

    /** The text from one place to another, which is an argument. */
    void argument(String flag, int from, int to) {
        if (from >= to) {
            return;
        }
        char first = text.charAt(from);
        if (isQuoted(from, to)) {
            argument(flag, from + 1, to - 1);
        } else if (SHELL.matcher(flag).matches() && hasSpaces(from, to)) {
            words(from, to);
        } else if (!flag.isEmpty()
                && (first != '-' || ArgumentSecrets.isSecretOf(flag, slice(from, to)))) {
            value(flag, from, to);
        } else {
            var header = HEADER_FLAG.matcher(text).region(from, to);
            if (header.lookingAt()) {
                unquotedHeader(header.end(), to);
            } else {
                named(from, to);
            }
        }
    }

    private void named(int from, int to) {
        if (nested == MAX_NESTED) {
            add(from, to);
            return;
        }
        nested++;
        nested(from, to);
        nested--;
    }

    private void nested(int from, int to) {
        var named = NAMED.matcher(text).region(from, to);
        var header = HEADER.matcher(text).region(from, to);
        if (named.matches()) {
            value(named.group(1), named.start(2), to);
        } else if (header.matches()
                && SecretNames.isSecret(header.group(1))
                && !text.startsWith("//", header.start(2))) {
            credential(header.start(2), to);
        } else {
            free(from, to);
        }
    }

    /** What a name is given as its value. */
    void value(String name, int from, int to) {
        if (isQuoted(from, to)) {
            value(name, from + 1, to - 1);
        } else if (SecretNames.isHeaderFlag(name)) {
            header(from, to);
        } else if (SecretNames.isSecret(name)) {
            credential(from, to);
        } else if (SecretNames.isUserFlag(name)) {
            user(from, to);
        } else {
            named(from, to);
        }
    }

    private void unquotedHeader(int from, int to) {
        boolean quoted = isQuoted(from, to);
        header(quoted ? from + 1 : from, quoted ? to - 1 : to);
    }

    private void header(int from, int to) {
        var header = HEADER.matcher(text).region(from, to);
        if (isJson(from, to)) {
            new JsonSecrets(text, this).find(from, to, true);
        } else if (header.matches() && !SecretNames.isHarmlessHeader(header.group(1))) {
            credential(header.start(2), to);
        } else if (SCHEME.matcher(text).region(from, to).matches()) {
            credential(from, to);
        } else {
            free(from, to);
        }
    }

    private void user(int from, int to) {
        var password = PASSWORD_OF.matcher(text).region(from, to);
        if (password.matches() && !slice(from, to).chars().allMatch(c -> c == ':' || isDigit(c))) {
            add(password.start(1), to);
        } else {
            free(from, to);
        }
    }

    /** A secret; the scheme before a header's credentials is none. */
    void credential(int from, int to) {
        var scheme = SCHEME.matcher(text).region(from, to);
        if (isQuoted(from, to)) {
            credential(from + 1, to - 1);
        } else if (scheme.matches()) {
            add(scheme.start(1), to);
        } else {
            add(from, to);
        }
    }

    /** Text that nothing is said of. */
    void free(int from, int to) {
        if (isJson(from, to)) {
            new JsonSecrets(text, this).find(from, to, false);
            return;
        }
        var url = URL.matcher(text).region(from, to);
        while (url.find()) {
            int at = url.group(1).lastIndexOf('@');
            if (at > 0) {
                userInfo(url.start(1), url.start(1) + at);
            }
            parameters(url.start(2), url.end(2));
        }
        var user = USER.matcher(text).region(from, to);
        while (user.find()) {
            var name = user.group(1).toLowerCase(Locale.ROOT);
            if (!NO_USERS.contains(name)
                    && !name.startsWith("git@")
                    && !text.startsWith("@sha256:", user.end(2))) {
                add(user.start(2), user.end(2));
            }
        }
        ConnectionSecrets.in(text, from, to).forEach(part -> add(part.from(), part.to()));
        var credential = CREDENTIAL.matcher(text).region(from, to).useTransparentBounds(true);
        while (credential.find()) {
            add(credential.start(), credential.end());
        }
        if (hasSpaces(from, to)) {
            words(from, to);
        }
    }

    /** The password, or the user where that is a token. */
    private void userInfo(int from, int to) {
        int colon = text.indexOf(':', from);
        if (colon < 0 || colon >= to) {
            add(from, to);
        } else if (NO_PASSWORDS.contains(slice(colon + 1, to))) {
            add(from, colon);
        } else {
            add(colon + 1, to);
        }
    }

    private void parameters(int from, int to) {
        var parameter = PARAMETER.matcher(text).region(from, to);
        while (parameter.find()) {
            if (SecretNames.isSecret(parameter.group(1))) {
                add(parameter.start(2), parameter.end(2));
            } else {
                named(parameter.start(2), parameter.end(2));
            }
        }
    }

    /** The text as a command line of its own. */
    private void words(int from, int to) {
        var word = WORD.matcher(text).region(from, to);
        var flag = "";
        while (word.find()) {
            int begin = word.start();
            int end = word.end();
            // NAME="a value": what is quoted belongs to the word that it touches.
            while (end < to && !Character.isWhitespace(text.charAt(end)) && word.find()) {
                end = word.end();
            }
            if (begin > from || end < to) {
                argument(flag, begin, end);
            }
            flag = ArgumentSecrets.flagAfter(flag, slice(begin, end));
        }
    }

    private boolean hasSpaces(int from, int to) {
        return slice(from, to).chars().anyMatch(Character::isWhitespace);
    }

    private boolean isJson(int from, int to) {
        return from < to && (text.charAt(from) == '{' || text.charAt(from) == '[');
    }

    private boolean isQuoted(int from, int to) {
        return to - from > 1
                && (text.charAt(from) == '"' || text.charAt(from) == '\'')
                && text.indexOf(text.charAt(from), from + 1) == to - 1;
    }

    private static boolean isDigit(int character) {
        return character >= '0' && character <= '9';
    }

    private String slice(int from, int to) {
        return text.substring(from, to);
    }

    void add(int from, int to) {
        if (from < to) {
            found.add(new SecretPart(from, to));
        }
    }
}

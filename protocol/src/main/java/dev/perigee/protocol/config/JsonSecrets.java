package dev.perigee.protocol.config;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;

/**
 * Finds the secrets in a text that looks like JSON, valid or not: values of secret names, all below
 * {@code env} and {@code headers}, and what the strings themselves hold.
 */
final class JsonSecrets {
    private static final Set<String> SECRET_OBJECTS = Set.of("env", "headers", "header");

    private static final Set<String> CONSTANTS = Set.of("true", "false", "null");

    private final String text;
    private final TextSecrets strings;
    private final Deque<Boolean> secrets = new ArrayDeque<>();

    /** Of the value that comes next. */
    private String name = "";

    /** The string before it in an array, where that is a flag. */
    private String flag = "";

    /** Whether the object's {@code name} says that its {@code value} is a secret. */
    private boolean named;

    JsonSecrets(String text, TextSecrets strings) {
        this.text = text;
        this.strings = strings;
    }

    /**
     * Reads the text from one place to another.
     *
     * @param secret whether all values are secrets
     */
    void find(int from, int to, boolean secret) {
        secrets.push(secret);
        for (int at = from; at < to; at++) {
            switch (text.charAt(at)) {
                case '{', '[' -> {
                    secrets.push(isSecret() || SECRET_OBJECTS.contains(name));
                    flag = "";
                    named = false;
                    name = text.charAt(at) == '{' ? "" : name;
                }
                case '}', ']' -> {
                    if (secrets.size() > 1) {
                        secrets.pop();
                    }
                    name = "";
                    flag = "";
                    named = false;
                }
                case '"', '\'' -> {
                    int end = endOfString(at + 1, to, text.charAt(at));
                    value(at + 1, end, end + 1, to);
                    at = end;
                }
                case ':', ',', ' ', '\t', '\r', '\n' -> {}
                default -> {
                    int end = endOfWord(at, to);
                    value(at, end, end, to);
                    at = end - 1;
                }
            }
        }
    }

    private void value(int from, int end, int behind, int to) {
        int next = behind;
        while (next < to && Character.isWhitespace(text.charAt(next))) {
            next++;
        }
        var content = text.substring(from, end);
        if (next < to && text.charAt(next) == ':') {
            name = content;
            flag = "";
            return;
        }
        if (name.equals("name")) {
            named = SecretNames.isSecret(content);
        }
        if (isSecret() && !CONSTANTS.contains(content)) {
            strings.credential(from, end);
        } else {
            strings.argument(flag, from, end);
        }
        flag = ArgumentSecrets.flagAfter(flag, content);
    }

    private boolean isSecret() {
        return Boolean.TRUE.equals(secrets.peek())
                || SecretNames.isSecret(name)
                || (named && name.equals("value"));
    }

    private int endOfString(int from, int to, char quote) {
        int at = from;
        while (at < to && text.charAt(at) != quote) {
            at += text.charAt(at) == '\\' ? 2 : 1;
        }
        return Math.min(at, to);
    }

    private int endOfWord(int from, int to) {
        int at = from;
        while (at < to && "{}[]:,\" \t\r\n".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return at;
    }
}

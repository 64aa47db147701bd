package dev.perigee.protocol.config;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finder of the secrets in a server's arguments: the value of a flag or variable whose name says so
 * ({@code --api-key V}, {@code --token=V}, {@code TOKEN=V}), the value of a header ({@code -H},
 * {@code --header "Authorization: Bearer V"}), the credentials and the secret query parameters of a
 * URL, the password of {@code user:V@host}, fields of JSON, and what is a credential by its form;
 * also in a command line that is one argument of a shell. Other arguments stay as they are. Pure.
 */
public final class ArgumentSecrets {
    private static final Pattern FLAG = Pattern.compile("-{1,3}([A-Za-z][\\w.-]*)");

    /** What is no value of a flag before it, even if its name says that it has a secret one. */
    private static final Pattern OTHER_FLAG =
            Pattern.compile("-[A-Za-z]?|--[A-Za-z][\\w.-]*+(?:=.*)?", Pattern.DOTALL);

    private static final Pattern HEADER_NAME = Pattern.compile("[A-Z][\\w-]*|[\\w]+(?:-[\\w]+)+");
    private static final String SECRET_HEADER = "Authorization";

    private ArgumentSecrets() {}

    /** The secrets of each argument, in its order. */
    public static List<List<SecretPart>> in(List<String> args) {
        var found = new ArrayList<List<SecretPart>>();
        var flag = "";
        for (var arg : args) {
            found.add(new TextSecrets(arg).ofArgument(flag));
            flag = flagAfter(flag, arg);
        }
        return found;
    }

    /** The arguments with each secret replaced by a mask. */
    public static List<String> masked(List<String> args, String mask) {
        var parts = in(args);
        var masked = new ArrayList<String>();
        for (int i = 0; i < args.size(); i++) {
            masked.add(SecretPart.replace(args.get(i), parts.get(i), _ -> mask));
        }
        return masked;
    }

    /** The secrets themselves, as they are written and as their reader understands them. */
    public static Stream<String> values(List<String> args) {
        var parts = in(args);
        var values = Stream.<String>builder();
        for (int i = 0; i < args.size(); i++) {
            for (var part : parts.get(i)) {
                var value = part.in(args.get(i));
                values.add(value).add(urlDecoded(value)).add(unescaped(value));
            }
        }
        return values.build().distinct();
    }

    /** The name that a flag gives to the argument behind it; empty where it is none. */
    static String flag(String arg) {
        var flag = FLAG.matcher(arg);
        return flag.matches() ? flag.group(1) : "";
    }

    /**
     * The name that an argument gives to the one behind it.
     *
     * @param before what the argument itself was given
     */
    static String flagAfter(String before, String arg) {
        if (SecretNames.isNameAndValueFlag(before) && HEADER_NAME.matcher(arg).matches()) {
            return SecretNames.isHarmlessHeader(arg) ? "" : SECRET_HEADER;
        }
        return isSecretOf(before, arg) ? "" : flag(arg);
    }

    /** Whether an argument is a flag's secret, even if it begins like a flag. */
    static boolean isSecretOf(String flag, String arg) {
        return SecretNames.isSecret(flag) && !OTHER_FLAG.matcher(arg).matches();
    }

    private static String urlDecoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }

    /** A text of JSON without its backslashes, where they only protect a character. */
    private static String unescaped(String text) {
        return text.replace("\\\"", "\"").replace("\\/", "/").replace("\\\\", "\\");
    }
}

package dev.perigee.protocol.config;

import dev.perigee.protocol.json.InvalidRecordException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reference to a secret, which stands in {@code env}, {@code headers} and {@code url_query_params}
 * of a configuration in place of a plain value: in JSON {@code {"ref":"name"}}. A worker replaces
 * it by what its {@code secrets.provider} has for the configuration's team and user under that
 * name. Two configurations with the same references are equal, whatever the secrets are by now.
 *
 * <p>In memory it is a value among the others of its map, told apart by a NUL at its beginning: no
 * variable, header or URL can have one, so that a reference which nobody resolved is refused
 * wherever it would be used.
 *
 * @param name {@value #FORM}; never a path
 */
public record SecretReference(String name) {
    /** What a name consists of, for error messages. */
    public static final String FORM =
            "1 to 128 letters, digits, '.', '_' and '-', a letter or digit first";

    /** Most values of one configuration that are references, of the same secret or of others. */
    public static final int MOST = 64;

    /** The field that has the name in JSON. */
    static final String FIELD = "ref";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");
    private static final String MARK = "\0ref:";

    /** Throws {@link InvalidRecordException}, without the name, where it is none. */
    public SecretReference {
        if (!isName(name)) {
            throw InvalidRecordException.invalid(
                    "a reference to a secret must have a name of " + FORM);
        }
    }

    /** The value that refers to a secret, for the maps of a configuration. */
    public static String to(String name) {
        return new SecretReference(name).value();
    }

    /** The reference that a value of a configuration is; null where it is plain. */
    public static @Nullable SecretReference in(String value) {
        if (!value.startsWith(MARK)) {
            return null;
        }
        var name = value.substring(MARK.length());
        return isName(name) ? new SecretReference(name) : null;
    }

    /** Whether a secret may have this name. */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /** This reference as a value of a configuration. */
    public String value() {
        return MARK + name;
    }
}

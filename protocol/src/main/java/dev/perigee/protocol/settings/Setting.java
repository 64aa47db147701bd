package dev.perigee.protocol.settings;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Configuration key with its type, default and description. Immutable. Its text comes, in rising
 * order, from the default, the file given by {@code --config}, the environment variable {@link
 * #environmentName()} and {@code --set}. A secret may also be read from the file that {@code
 * <key>-file} names, and is never shown.
 *
 * <p>A key that ends in {@code .*} takes every key with that prefix and hands the rest of it on as
 * a map, for settings that belong to another program, such as the Kafka client.
 */
public final class Setting<T> {
    static final String ENVIRONMENT_PREFIX = "PERIGEE_";
    private static final Pattern KEY = Pattern.compile("[a-z][a-z0-9]*([.-][a-z0-9]+)*(\\.\\*)?");

    private final String key;
    private final SettingType<T> type;
    private final Presence presence;
    private final String defaultText;
    private final String description;
    private final boolean secret;

    private enum Presence {
        DEFAULTED,
        REQUIRED,
        OPTIONAL
    }

    private Setting(
            String key,
            SettingType<T> type,
            Presence presence,
            String defaultText,
            String description,
            boolean secret) {
        if (!KEY.matcher(key).matches()) {
            throw new IllegalArgumentException("Not a configuration key: " + key);
        }
        if (presence == Presence.DEFAULTED && type.parse(defaultText) == null) {
            throw new IllegalArgumentException(
                    "The default of " + key + " is not " + type.expects());
        }
        this.key = key;
        this.type = type;
        this.presence = presence;
        this.defaultText = defaultText;
        this.description = description;
        this.secret = secret;
    }

    /**
     * A setting with a default, written as a user would write it, with its unit.
     *
     * @throws IllegalArgumentException when the default is not of the type, as for a key that is
     *     not of lower-case words joined by dots and hyphens
     */
    public static <T> Setting<T> of(
            String key, SettingType<T> type, String defaultText, String description) {
        return new Setting<>(key, type, Presence.DEFAULTED, defaultText, description, false);
    }

    /** A setting that must be given. */
    public static <T> Setting<T> required(String key, SettingType<T> type, String description) {
        return new Setting<>(key, type, Presence.REQUIRED, "", description, false);
    }

    /** A setting that may be absent; the description says what happens then. */
    public static <T> Setting<T> optional(String key, SettingType<T> type, String description) {
        return new Setting<>(key, type, Presence.OPTIONAL, "", description, false);
    }

    /** All keys that start with {@code prefix} and a dot. The values count as secrets. */
    public static Setting<Map<String, String>> passThrough(String prefix, String description) {
        return new Setting<>(
                prefix + ".*",
                new SettingType<>("any string", text -> text.isEmpty() ? Map.of() : null),
                Presence.DEFAULTED,
                "",
                description,
                true);
    }

    /** The same setting, never shown, and readable from a file. */
    public Setting<T> asSecret() {
        return new Setting<>(key, type, presence, defaultText, description, true);
    }

    /** The key as users write it. */
    public String key() {
        return key;
    }

    /** Parser and form of the value. */
    public SettingType<T> type() {
        return type;
    }

    /** Text of the reference page: meaning, limits, and what its absence means. */
    public String description() {
        return description;
    }

    /** True when the value is never shown. */
    public boolean isSecret() {
        return secret;
    }

    /** True when there is neither a default nor a meaning of absence. */
    public boolean isRequired() {
        return presence == Presence.REQUIRED;
    }

    /** The default as text, or null where there is none. */
    public @Nullable String defaultText() {
        return presence == Presence.DEFAULTED ? defaultText : null;
    }

    /** The environment variable that sets it. */
    public String environmentName() {
        return environmentName(key);
    }

    boolean isPassThrough() {
        return key.endsWith(".*");
    }

    /** {@code kafka.} of {@code kafka.*}. */
    String prefix() {
        return key.substring(0, key.length() - 1);
    }

    /** The key whose value is a file that holds the secret; null where that makes no sense. */
    @Nullable String fileKey() {
        return secret && !isPassThrough() ? key + "-file" : null;
    }

    static String environmentName(String key) {
        return ENVIRONMENT_PREFIX
                + key.replace('.', '_').replace('-', '_').toUpperCase(Locale.ROOT);
    }

    @Override
    public String toString() {
        return key;
    }
}

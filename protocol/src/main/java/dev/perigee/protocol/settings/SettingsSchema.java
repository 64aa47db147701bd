package dev.perigee.protocol.settings;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Settings of one part, in the order of the reference page, and the rules that tie several of them
 * together. Immutable. Two settings of one key or of one environment variable make it throw {@link
 * IllegalArgumentException}.
 */
public final class SettingsSchema {
    private final String name;
    private final Map<String, Setting<?>> byKey = new LinkedHashMap<>();
    private final List<Function<Settings, @Nullable String>> rules;

    private SettingsSchema(
            String name,
            List<Setting<?>> settings,
            List<Function<Settings, @Nullable String>> rules) {
        this.name = name;
        this.rules = List.copyOf(rules);
        var environmentNames = new HashMap<String, String>();
        for (var setting : settings) {
            if (byKey.put(setting.key(), setting) != null) {
                throw new IllegalArgumentException("Two settings are named " + setting);
            }
            claim(environmentNames, setting.key());
            var fileKey = setting.fileKey();
            if (fileKey != null) {
                claim(environmentNames, fileKey);
            }
        }
    }

    private static void claim(Map<String, String> environmentNames, String key) {
        var other = environmentNames.put(Setting.environmentName(key), key);
        if (other != null) {
            throw new IllegalArgumentException(
                    key + " and " + other + " have the same environment variable");
        }
    }

    /** The settings of the part called {@code name}, such as gateway. */
    public static SettingsSchema of(String name, Setting<?>... settings) {
        return new SettingsSchema(name, List.of(settings), List.of());
    }

    /** The same schema with the settings and rules of another one after its own. */
    public SettingsSchema with(SettingsSchema other) {
        var settings = new ArrayList<>(this.settings());
        settings.addAll(other.settings());
        var allRules = new ArrayList<>(rules);
        allRules.addAll(other.rules);
        return new SettingsSchema(name, settings, allRules);
    }

    /**
     * The same schema with one more rule, asked when every single value is fine. It answers null,
     * or what is wrong, naming the keys and showing no secret.
     */
    public SettingsSchema withRule(Function<Settings, @Nullable String> rule) {
        var allRules = new ArrayList<>(rules);
        allRules.add(rule);
        return new SettingsSchema(name, settings(), allRules);
    }

    /** The part, such as gateway. */
    public String name() {
        return name;
    }

    /** The settings, in the order of the reference page. */
    public List<Setting<?>> settings() {
        return List.copyOf(byKey.values());
    }

    /** Whether {@code key}, as a user would write it, means anything here. */
    public boolean knows(String key) {
        return slotOf(key) != null;
    }

    /**
     * The key or, for something that begins like one, the environment variable of any of the
     * schemas that is written most like this; null when they have none.
     */
    public static @Nullable String nearest(String written, Collection<SettingsSchema> schemas) {
        var names = new ArrayList<String>();
        for (var schema : schemas) {
            names.addAll(
                    written.startsWith(Setting.ENVIRONMENT_PREFIX)
                            ? schema.variables()
                            : schema.keys());
        }
        return NearestKey.to(written, names);
    }

    /** The key that an environment variable sets, null when it means nothing here. */
    public @Nullable String keyOfVariable(String variable) {
        for (var key : keys()) {
            if (!key.endsWith(".*") && Setting.environmentName(key).equals(variable)) {
                return key;
            }
        }
        if (SettingsReader.isForeignOrTool(variable)) {
            return null;
        }
        for (var setting : byKey.values()) {
            var prefix = Setting.environmentName(setting.prefix());
            if (setting.isPassThrough()
                    && variable.startsWith(prefix)
                    && variable.length() > prefix.length()) {
                var rest = variable.substring(prefix.length()).toLowerCase(Locale.ROOT);
                return setting.prefix() + rest.replace('_', '.');
            }
        }
        return null;
    }

    /** The environment variable that sets a key. */
    public static String variableOf(String key) {
        return Setting.environmentName(key);
    }

    /** Whether the value of {@code key} must not be shown; false where it means nothing here. */
    public boolean isSecret(String key) {
        var slot = slotOf(key);
        return slot != null && slot.setting().isSecret() && !slot.fromFile();
    }

    /** All values at their defaults; for tests. Fails where a setting is required. */
    public Settings defaults() {
        return read(Map.of());
    }

    /** Reads from the given texts only; for tests and embedding. */
    public Settings read(Map<String, String> texts) {
        return new SettingsReader(this).add("the caller", texts).read();
    }

    boolean contains(Setting<?> setting) {
        return byKey.get(setting.key()) == setting;
    }

    List<Function<Settings, @Nullable String>> rules() {
        return rules;
    }

    /** Target of a key: a setting, directly or through a file, or one entry of a pass-through. */
    record Slot(Setting<?> setting, String key, boolean fromFile) {}

    @Nullable Slot slotOf(String key) {
        var exact = byKey.get(key);
        if (exact != null && !exact.isPassThrough()) {
            return new Slot(exact, key, false);
        }
        for (var setting : byKey.values()) {
            if (key.equals(setting.fileKey())) {
                return new Slot(setting, key, true);
            }
        }
        for (var setting : byKey.values()) {
            if (setting.isPassThrough()
                    && key.startsWith(setting.prefix())
                    && key.length() > setting.prefix().length()
                    && !key.endsWith("*")) {
                return new Slot(setting, key, false);
            }
        }
        return null;
    }

    List<String> variables() {
        return keys().stream().map(Setting::environmentName).toList();
    }

    List<String> keys() {
        var keys = new ArrayList<String>();
        for (var setting : byKey.values()) {
            keys.add(setting.key());
            var fileKey = setting.fileKey();
            if (fileKey != null) {
                keys.add(fileKey);
            }
        }
        return keys;
    }
}

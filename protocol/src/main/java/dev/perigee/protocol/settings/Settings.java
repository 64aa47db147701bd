package dev.perigee.protocol.settings;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Parsed values of one schema: immutable, complete, valid, thread-safe. {@code toString} shows
 * every value but secrets.
 */
public final class Settings {
    private final SettingsSchema schema;
    private final Map<String, Object> values;

    Settings(SettingsSchema schema, Map<String, Object> values) {
        this.schema = schema;
        this.values = Map.copyOf(values);
    }

    /**
     * The value of a setting that has a default or is required.
     *
     * @throws IllegalStateException when it is optional and absent
     * @throws IllegalArgumentException when the schema does not have it
     */
    public <T> T value(Setting<T> setting) {
        var value = valueOrNull(setting);
        if (value == null) {
            throw new IllegalStateException(
                    setting + " is optional: ask with valueOrNull and say what its absence means");
        }
        return value;
    }

    /**
     * The value of a setting, null where it is optional and absent.
     *
     * @throws IllegalArgumentException when the schema does not have it
     */
    @SuppressWarnings("unchecked") // The reader put there what this very setting parsed.
    public <T> @Nullable T valueOrNull(Setting<T> setting) {
        if (!schema.contains(setting)) {
            throw new IllegalArgumentException(
                    setting + " is not in the schema of the " + schema.name());
        }
        return (T) values.get(setting.key());
    }

    @Override
    @JsonValue // A JSON log shows what a text log shows.
    public String toString() {
        var shown = new TreeMap<String, Object>();
        for (var setting : schema.settings()) {
            var value = values.get(setting.key());
            if (value != null) {
                shown.put(setting.key(), setting.isSecret() ? "(secret)" : value);
            }
        }
        return shown.toString();
    }
}

package dev.perigee.protocol.settings;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reader of {@link Settings} from several sources, of which the last added wins. Every problem of
 * every source is reported at once, by {@link #read}. For one thread, at start.
 */
public final class SettingsReader {
    /** Variables that steer the launcher, the command line and tests, not a part. */
    private static final Set<String> TOOL_VARIABLES =
            Set.of(
                    "PERIGEE_BOOTSTRAP",
                    "PERIGEE_CI_RUN",
                    "PERIGEE_JAVA_OPTS",
                    "PERIGEE_KAFKA_CONFIG",
                    "PERIGEE_LOG_FORMAT",
                    "PERIGEE_LOG_LEVEL",
                    "PERIGEE_NO_BUILD",
                    "PERIGEE_PART_NAME",
                    "PERIGEE_TEST_FLEET",
                    "PERIGEE_TOPICS_PREFIX");

    private record Given(SettingsSchema.Slot slot, String text, String origin) {}

    private final SettingsSchema schema;
    private final Map<String, Given> given = new LinkedHashMap<>();
    private final List<SettingProblem> problems = new ArrayList<>();

    /** A reader without sources: the defaults. */
    public SettingsReader(SettingsSchema schema) {
        this.schema = schema;
    }

    /** Adds texts by key. */
    public SettingsReader add(String origin, Map<String, String> texts) {
        var seen = new HashMap<String, String>();
        new TreeMap<>(texts).forEach((key, text) -> put(key, text, origin, seen));
        return this;
    }

    /** Adds a .properties file in UTF-8. */
    public SettingsReader addFile(Path file) {
        var properties = new StrictProperties();
        try {
            properties.load(new StringReader(Files.readString(file)));
        } catch (IOException e) {
            problems.add(
                    new SettingProblem("--config", file.toString(), "the file cannot be read"));
            return this;
        } catch (IllegalArgumentException e) {
            problems.add(
                    new SettingProblem(
                            "--config", file.toString(), "the file has a malformed \\u escape"));
            return this;
        }
        for (var key : properties.repeated) {
            problems.add(
                    new SettingProblem(key, file.toString(), "the key is there twice, keep one"));
        }
        var texts = new HashMap<String, String>();
        for (var key : properties.stringPropertyNames()) {
            texts.put(key, properties.getProperty(key, ""));
        }
        return add(file.toString(), texts);
    }

    /** Adds the PERIGEE_ variables of an environment; an empty variable counts as absent. */
    public SettingsReader addEnvironment(Map<String, String> environment) {
        var seen = new HashMap<String, String>();
        for (var variable : new TreeMap<>(environment).entrySet()) {
            var name = variable.getKey();
            if (!name.startsWith(Setting.ENVIRONMENT_PREFIX) || variable.getValue().isEmpty()) {
                continue;
            }
            var key = schema.keyOfVariable(name);
            if (key == null && !TOOL_VARIABLES.contains(name)) {
                var nearest = NearestKey.to(name, schema.variables());
                problems.add(
                        new SettingProblem(name, "the environment", NearestKey.unknown(nearest)));
            }
            if (key != null) {
                put(key, variable.getValue(), "the environment variable " + name, seen);
            }
        }
        return this;
    }

    /** Whether a variable is none of ours, or steers tools rather than a part. */
    public static boolean isForeignOrTool(String variable) {
        return !variable.startsWith(Setting.ENVIRONMENT_PREFIX)
                || TOOL_VARIABLES.contains(variable);
    }

    /** Adds {@code key=value} arguments; a later one overrides an earlier one. */
    public SettingsReader addArguments(List<String> arguments) {
        for (var argument : arguments) {
            var equals = argument.indexOf('=');
            if (equals < 1) {
                var shown = equals < 0 ? argument : argument.substring(0, equals);
                problems.add(new SettingProblem(shown, "--set", "write it as key=value"));
            } else {
                put(
                        argument.substring(0, equals).strip(),
                        argument.substring(equals + 1),
                        "--set",
                        new HashMap<>());
            }
        }
        return this;
    }

    /**
     * Parses and checks everything.
     *
     * @throws InvalidSettingsException with all problems, if there is one
     */
    public Settings read() {
        var values = new HashMap<String, Object>();
        for (var setting : schema.settings()) {
            if (setting.isPassThrough()) {
                values.put(setting.key(), entriesOf(setting));
            } else {
                parse(setting, values);
            }
        }
        if (problems.isEmpty()) {
            var settings = new Settings(schema, values);
            for (var rule : schema.rules()) {
                var violation = rule.apply(settings);
                if (violation != null) {
                    problems.add(new SettingProblem(schema.name(), "several keys", violation));
                }
            }
            if (problems.isEmpty()) {
                return settings;
            }
        }
        throw new InvalidSettingsException(schema.name(), problems);
    }

    private void put(String key, String text, String origin, Map<String, String> seen) {
        var slot = schema.slotOf(key);
        if (slot == null) {
            var nearest = NearestKey.to(key, schema.keys());
            problems.add(new SettingProblem(key, origin, NearestKey.unknown(nearest)));
            return;
        }
        var target = slot.setting().isPassThrough() ? key : slot.setting().key();
        var other = seen.put(target, key);
        if (other != null && !other.equals(key)) {
            problems.add(new SettingProblem(key, origin, other + " is also set, keep one of them"));
        }
        given.put(target, new Given(slot, text.strip(), origin));
    }

    private Map<String, String> entriesOf(Setting<?> setting) {
        var entries = new TreeMap<String, String>();
        given.forEach(
                (key, value) -> {
                    if (value.slot().setting() == setting) {
                        entries.put(key.substring(setting.prefix().length()), value.text());
                    }
                });
        return Map.copyOf(entries);
    }

    private void parse(Setting<?> setting, Map<String, Object> values) {
        var written = given.get(setting.key());
        var text = setting.defaultText();
        if (written != null) {
            text = written.slot().fromFile() ? contentOf(written) : written.text();
            if (text == null) {
                return;
            }
        }
        if (text == null) {
            if (setting.isRequired()) {
                problems.add(
                        new SettingProblem(
                                setting.key(),
                                "",
                                "is required, set it by --set, "
                                        + setting.environmentName()
                                        + " or a --config file"));
            }
            return;
        }
        var value = setting.type().parse(text);
        if (value != null) {
            values.put(setting.key(), value);
            return;
        }
        var fault = setting.type().fault(text);
        var shown =
                setting.isSecret()
                        ? "its value"
                        : fault.equals(text)
                                ? "\"" + text + "\""
                                : "\"%s\" in \"%s\"".formatted(fault, text);
        problems.add(
                new SettingProblem(
                        setting.key(),
                        written == null ? "the default" : written.origin(),
                        shown + " is not " + setting.type().expects()));
    }

    private @Nullable String contentOf(Given written) {
        try {
            return Files.readString(Path.of(written.text())).strip();
        } catch (IOException | InvalidPathException e) {
            problems.add(
                    new SettingProblem(
                            written.slot().key(),
                            written.origin(),
                            "the file " + written.text() + " cannot be read"));
            return null;
        }
    }

    /** Properties that remember which keys were written twice. */
    private static final class StrictProperties extends Properties {
        private static final long serialVersionUID = 1L;
        private final transient List<String> repeated = new ArrayList<>();

        @Override
        public synchronized Object put(Object key, Object value) {
            var previous = super.put(key, value);
            if (previous != null) {
                repeated.add(String.valueOf(key));
            }
            return previous;
        }
    }
}

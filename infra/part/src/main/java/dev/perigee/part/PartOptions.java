package dev.perigee.part;

import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsReader;
import dev.perigee.protocol.settings.SettingsSchema;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of every part: where its configuration comes from, and who started it. */
final class PartOptions {
    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "A .properties file with configuration keys.")
    private @Nullable Path config;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "One configuration key; overrides file and environment.")
    private List<String> set = List.of();

    @Option(names = "--name", hidden = true, description = "Name on the ready line.")
    private @Nullable String name;

    @Option(
            names = "--end-with-stdin",
            hidden = true,
            description = "End when standard input does.")
    private boolean endWithStdin;

    /** Reads the configuration; {@code options} are what other options say, and win. */
    Settings settings(SettingsSchema schema, Map<String, String> options) {
        var reader = new SettingsReader(schema);
        if (config != null) {
            reader.addFile(config);
        }
        return reader.addEnvironment(System.getenv())
                .addArguments(set)
                .add("the command line", options)
                .read();
    }

    /** How this JVM runs the part. */
    Foreground foreground(String defaultName, Printer out) {
        var foreground =
                new Foreground(
                        name == null ? defaultName : name, ready -> out.line(ready.toString()));
        if (endWithStdin) {
            foreground.endWith(System.in);
        }
        return foreground;
    }
}

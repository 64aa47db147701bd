package dev.perigee.part;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** The file of {@code --kafka-config}: what any Kafka tool takes as its properties. */
public final class KafkaPropertiesFile {
    private KafkaPropertiesFile() {}

    /** Reads the file; none is no properties. */
    public static Map<String, String> read(@Nullable Path file) {
        if (file == null) {
            return Map.of();
        }
        var properties = new Properties();
        try {
            properties.load(new StringReader(Files.readString(file)));
        } catch (IOException | IllegalArgumentException e) {
            throw CliException.usage("The Kafka configuration " + file + " cannot be read.");
        }
        var texts = new HashMap<String, String>();
        for (var key : properties.stringPropertyNames()) {
            texts.put(key, properties.getProperty(key, ""));
        }
        return texts;
    }
}

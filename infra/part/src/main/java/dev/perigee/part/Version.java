package dev.perigee.part;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** Output of {@code perigee --version}: Perigee, Java and, where it is on the class path, Kafka. */
public final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        var lines = new ArrayList<String>();
        lines.add("perigee " + read("perigee-version.properties"));
        lines.add("Java " + Runtime.version());
        var kafka = read("kafka/kafka-version.properties");
        if (!kafka.isEmpty()) {
            lines.add("Kafka " + kafka);
        }
        return lines.toArray(String[]::new);
    }

    /** The version that a resource names; empty where there is no such resource. */
    private static String read(String resource) {
        var properties = new Properties();
        try (var input = Version.class.getClassLoader().getResourceAsStream(resource)) {
            if (input != null) {
                properties.load(input);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version", "");
    }
}

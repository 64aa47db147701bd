package dev.perigee.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** That every test which the guarantees rest on exists, and is about what they say. */
final class GuaranteesTest {
    private static final Pattern TEST = Pattern.compile("`([A-Za-z]+Test)`(?: \\(([^)]*)\\))?");

    @Test
    void restOnTestsThatExist() throws IOException {
        var sources = sources();
        var matcher = TEST.matcher(Files.readString(Checkout.root().resolve("docs/guarantees.md")));
        var named = new TreeSet<String>();
        while (matcher.find()) {
            var name = matcher.group(1);
            named.add(name);
            assertThat(sources).as("docs/guarantees.md").containsKey(name);
            if (matcher.group(2) != null) {
                assertThat(sources.get(name)).as(name).contains(matcher.group(2).split(", "));
            }
        }
        assertThat(named).hasSizeGreaterThan(10);
    }

    private static Map<String, String> sources() throws IOException {
        var sources = new TreeMap<String, String>();
        try (var files = Files.walk(Checkout.root())) {
            for (var file :
                    files.filter(path -> path.toString().contains("/src/test/java/"))
                            .filter(path -> path.toString().endsWith("Test.java"))
                            .toList()) {
                var name = file.getFileName().toString().replace(".java", "");
                sources.merge(name, Files.readString(file), String::concat);
            }
        }
        return sources;
    }
}

package dev.perigee.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.testing.docs.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** That every test which the guarantees and the security page rest on exists, and is about it. */
final class GuaranteesTest {
    private static final Pattern TEST = Pattern.compile("`([A-Za-z]+Test)`(?: \\(([^)]*)\\))?");

    /** What ends an item of a list or a paragraph. */
    private static final Pattern END = Pattern.compile("\\n(?=\\* )|\\n\\n");

    private static final Path SECURITY = Checkout.root().resolve("docs/security.md");

    /** The sections of what is shown by nothing. */
    private static final Pattern UNSHOWN =
            Pattern.compile(
                    "(?s)\\n## (What no test shows|What is not protected)\\n.*?(?=\\n## |$)");

    @ParameterizedTest
    @ValueSource(strings = {"docs/guarantees.md", "docs/security.md"})
    void restOnTestsThatExist(String page) throws IOException {
        var sources = sources();
        var matcher = TEST.matcher(Files.readString(Checkout.root().resolve(page)));
        var named = new TreeSet<String>();
        while (matcher.find()) {
            var name = matcher.group(1);
            named.add(name);
            assertThat(sources).as(page).containsKey(name);
            if (matcher.group(2) != null) {
                assertThat(sources.get(name)).as(name).contains(matcher.group(2).split(", "));
            }
        }
        assertThat(named).hasSizeGreaterThan(10);
    }

    @Test
    @DisplayName("TEN-01 to TEN-21: the security page has each promise between users")
    void securityHasEachPromise() throws IOException {
        assertThat(Files.readString(SECURITY))
                .contains(IntStream.rangeClosed(1, 21).mapToObj("TEN-%02d"::formatted).toList());
    }

    @Test
    @DisplayName("each item of the security page names its test, or is among what no test shows")
    void securityNamesATestForEachItem() throws IOException {
        var page = UNSHOWN.matcher(Files.readString(SECURITY)).replaceAll("");

        assertThat(END.split(page))
                .filteredOn(item -> item.startsWith("* "))
                .hasSizeGreaterThan(10)
                .allMatch(item -> TEST.matcher(item).find());
    }

    private static Map<String, String> sources() throws IOException {
        var sources = new TreeMap<String, String>();
        for (var file : SourceTree.files(Checkout.root())) {
            if (file.toString().contains("/src/test/java/")
                    && file.toString().endsWith("Test.java")) {
                var name = file.getFileName().toString().replace(".java", "");
                sources.merge(name, Files.readString(file), String::concat);
            }
        }
        return sources;
    }
}

package dev.perigee.local.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.connect.ToolNames.Place;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Names of offered tools")
final class ToolNamesTest {
    private static final String VALID = "[A-Za-z0-9_-]{1,64}";

    private static List<String> of(Place... tools) {
        return List.copyOf(new ToolNames(false).of(List.of(tools)).values());
    }

    @Test
    @DisplayName("are those of server and tool")
    void plain() {
        assertThat(of(new Place("github", "i1", "search"), new Place("files", "i2", "search")))
                .containsExactly("github__search", "files__search");
    }

    @Test
    @DisplayName("have the installation where a server is installed twice, whoever has the tool")
    void twice() {
        assertThat(
                        of(
                                new Place("github", "i1", "search"),
                                new Place("github", "i2", "search"),
                                new Place("github", "i2", "merge")))
                .containsExactly("github-i1__search", "github-i2__search", "github-i2__merge");
    }

    @Test
    @DisplayName("of one installation are its own")
    void bare() {
        var names =
                new ToolNames(true)
                        .of(List.of(new Place("f", "i1", "echo"), new Place("f", "i1", "a b")));

        assertThat(names.get(new Place("f", "i1", "echo"))).isEqualTo("echo");
        assertThat(names.get(new Place("f", "i1", "a b"))).matches("a_b_[0-9a-f]{12}");
    }

    @Test
    @DisplayName("are valid and unlike each other, whatever tools are called")
    void hostile() {
        var tools =
                new Place[] {
                    new Place("f", "i1", "ünï:cødé|x"),
                    new Place("f", "i1", "_n_:c_d_|x"),
                    new Place("f", "i1", "x".repeat(500)),
                    new Place("f", "i1", "x".repeat(501)),
                    new Place("f", "i1", "\n"),
                    new Place("s".repeat(100), "i2", "echo"),
                    new Place("a__b", "i3", "c"),
                    new Place("a", "i4", "b__c")
                };

        assertThat(of(tools))
                .hasSize(tools.length)
                .doesNotHaveDuplicates()
                .allMatch(name -> name.matches(VALID));
    }

    @Test
    @DisplayName("of another server's choice do not take a tool's name from it")
    void stolen() {
        var victim = new Place("bank", "i1", "pay!");
        var name = new ToolNames(false).of(List.of(victim)).values().iterator().next();
        var thief = new Place("bank", "i1", name.substring("bank__".length()));

        var names = new ToolNames(false).of(List.of(victim, thief));

        assertThat(names).containsEntry(victim, name);
        assertThat(names.get(thief)).isNotEqualTo(name).matches(VALID);
    }

    @Test
    @DisplayName("stay the same when other tools come")
    void stable() {
        var tools =
                IntStream.range(0, 100)
                        .mapToObj(n -> new Place("s" + n, "i" + n, "tool " + n))
                        .toList();
        var names = new ToolNames(false).of(tools.subList(0, 50));

        assertThat(new ToolNames(false).of(tools)).containsAllEntriesOf(names);
    }
}

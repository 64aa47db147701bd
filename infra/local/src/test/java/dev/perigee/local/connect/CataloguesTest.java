package dev.perigee.local.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.Catalog;
import dev.perigee.protocol.event.EventBody.DiscoveredTool;
import dev.perigee.protocol.event.EventBody.ToolsDiscovered;
import dev.perigee.protocol.event.EventOrigin;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

@DisplayName("Catalogues of one user")
final class CataloguesTest {
    private static final Instant TIME = Instant.parse("2026-11-20T10:00:00Z");
    private static final RawJson SCHEMA = RawJson.of("{\"type\":\"object\"}");

    private final List<String> notes = new ArrayList<>();
    private final Catalogues catalogues = of(null);

    private Catalogues of(@Nullable String installation) {
        var options = new ConnectOptions("t1", "u1", installation, Duration.ofMinutes(1), "1");
        return new Catalogues(options, notes::add);
    }

    private static byte[] recordOf(String user, String installation, EventBody body) {
        var origin =
                new EventOrigin("p", null, installation, null, "files", "t1", user, "w1", 1, TIME);
        return Json.write(Event.of(origin, body));
    }

    private static ToolsDiscovered tools(String... names) {
        var tools =
                Stream.of(names)
                        .map(
                                name ->
                                        new DiscoveredTool(
                                                "files:" + name, name, "does", SCHEMA, 1, true))
                        .toList();
        return new ToolsDiscovered(tools.size(), 1, tools, TIME);
    }

    private static Catalog catalog(String... entries) {
        return new Catalog(
                null,
                RawJson.EMPTY_OBJECT,
                null,
                null,
                Stream.of(entries).map(RawJson::of).toList(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                TIME);
    }

    private static List<String> names(Catalogues catalogues) {
        return listed(catalogues).stream().map(tool -> tool.path("name").asString("")).toList();
    }

    private static List<JsonNode> listed(Catalogues catalogues) {
        return catalogues.offer().page(null).tools().stream()
                .map(tool -> Json.tree(tool.bytes()))
                .toList();
    }

    @Test
    @DisplayName("offer the tools that there are, in their servers' words where these are known")
    void offers() {
        assertThat(catalogues.take("p1", recordOf("u1", "i1", tools("b", "a")))).isTrue();
        assertThat(listed(catalogues).getFirst().at("/annotations/readOnlyHint").asBoolean(false))
                .isTrue();

        var words =
                catalog(
                        "{\"name\":\"a\",\"title\":\"A\",\"inputSchema\":{\"type\":\"object\"}}",
                        "{\"name\":\"gone\",\"inputSchema\":{\"type\":\"object\"}}",
                        "{\"title\":\"nameless\"}");
        assertThat(catalogues.take("p1", recordOf("u1", "i1", words))).isTrue();

        assertThat(names(catalogues)).containsExactly("files__a", "files__b");
        assertThat(listed(catalogues).getFirst().path("title").asString("")).isEqualTo("A");
        assertThat(listed(catalogues).getLast().path("description").asString("")).isEqualTo("does");
    }

    @Test
    @DisplayName("have nothing of other users, other installations, or what is no event")
    void othersAreNot() {
        var one = of("i1");

        assertThat(catalogues.take("p1", recordOf("u2", "i1", tools("a")))).isFalse();
        assertThat(one.take("p1", recordOf("u1", "i2", tools("a")))).isFalse();
        for (var other :
                List.of(
                        "no json",
                        "{\"team_id\":\"t1\",\"user_id\":\"u1\",\"installation_id\":\"i1\",\"event\":\"x\"}")) {
            assertThat(one.take("p1", other.getBytes(StandardCharsets.UTF_8))).isFalse();
        }
        assertThat(one.take("p1", recordOf("u1", "i1", tools("a")))).isTrue();

        assertThat(names(one)).containsExactly("a");
        assertThat(names(catalogues)).isEmpty();
    }

    @Test
    @DisplayName("forget what is uninstalled")
    void forget() {
        catalogues.take("p1", recordOf("u1", "i1", tools("a")));

        assertThat(catalogues.take("p1", null)).isTrue();
        assertThat(catalogues.take("p2", null)).isFalse();

        assertThat(names(catalogues)).isEmpty();
    }

    @Test
    @DisplayName("leave out what is disabled, and not what came since the fleet was asked")
    void disabled() {
        catalogues.take("p1", recordOf("u1", "i1", tools("a", "b")));
        var known = catalogues.known();
        catalogues.take("p1", recordOf("u1", "i1", tools("a", "b", "new")));

        assertThat(catalogues.enabled(known, Map.of("i1", Set.of("a")))).isTrue();
        assertThat(names(catalogues)).containsExactly("files__a", "files__new");

        assertThat(catalogues.enabled(known, Map.of())).as("its server is away").isFalse();
        assertThat(names(catalogues)).containsExactly("files__a", "files__new");

        assertThat(catalogues.enabled(catalogues.known(), Map.of("i1", Set.of("a", "b", "new"))))
                .isTrue();
        assertThat(names(catalogues)).hasSize(3);
    }

    @Test
    @DisplayName("are bounded: the server that is too much is left out, and said so")
    void areBounded() {
        var large =
                catalog(
                        "{\"name\":\"large\",\"inputSchema\":{\"type\":\"object\"},\"description\":\"%s\"}"
                                .formatted("x".repeat((int) Catalogues.MOST_BYTES / 5)));
        for (int n = 1; n <= 5; n++) {
            catalogues.take("p" + n, recordOf("u1", "i" + n, large));
        }

        assertThat(catalogues.offer().size()).isEqualTo(4);
        assertThat(notes).singleElement().asString().contains("p5", "--installation");
    }

    @Test
    @DisplayName("are listed in pages, each behind a name")
    void pages() {
        var third = "x".repeat(Offer.PAGE_BYTES / 3);
        for (int n = 0; n < 7; n++) {
            var entry =
                    "{\"name\":\"t%d\",\"inputSchema\":{\"type\":\"object\"},\"description\":\"%s\"}"
                            .formatted(n, third);
            catalogues.take("p" + n, recordOf("u1", "i1", catalog(entry)));
        }
        var offer = catalogues.offer();

        var sizes = new ArrayList<Integer>();
        String cursor = null;
        do {
            var page = offer.page(cursor);
            sizes.add(page.tools().size());
            cursor = page.nextCursor();
        } while (cursor != null);

        assertThat(sizes).containsExactly(2, 2, 2, 1);
    }
}

package dev.perigee.protocol.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.topic.DeadLetterReason;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

@DisplayName("The AsyncAPI document says what the code does")
final class AsyncApiTest {

    private static final Path FILE = Path.of("src/main/asyncapi/perigee.yaml");
    private static final Path SCHEMAS =
            Path.of("src/main/resources/dev/perigee/protocol/schemas").toAbsolutePath();
    private static final JsonNode DOCUMENT = new YAMLMapper().readTree(FILE.toFile());
    private static final TopicNames NAMES = new TopicNames(TopicNames.DEFAULT_PREFIX);

    @Test
    void everyTopicButTheInternalOneIsAChannel() {
        var expected = EnumSet.complementOf(EnumSet.of(Topic.STATE)).stream().map(NAMES::of);
        assertThat(DOCUMENT.path("channels").valueStream().map(c -> c.get("address").asString()))
                .containsExactlyInAnyOrderElementsOf(expected.toList());
    }

    @ParameterizedTest
    @EnumSource(value = Topic.class, names = "STATE", mode = EnumSource.Mode.EXCLUDE)
    void channelsHaveTheirCleanupPolicy(Topic topic) {
        var policy = channel(topic).at("/bindings/kafka/topicConfiguration").path("cleanup.policy");
        assertThat(String.join(",", policy.valueStream().map(JsonNode::asString).toList()))
                .isEqualTo(topic.cleanup().policy());
    }

    @ParameterizedTest
    @EnumSource(value = EventType.class, names = "REMOVED", mode = EnumSource.Mode.EXCLUDE)
    void everyEventIsAMessageOfItsTopic(EventType type) {
        assertThat(messages(type.topic()).map(m -> m.get("name").asString()))
                .contains(type.wireName());
    }

    @Test
    void channelsCarryNothingElse() {
        long messages = Arrays.stream(Topic.values()).flatMap(AsyncApiTest::messages).count();
        var others =
                List.of(
                        "Command",
                        "ToolRequest",
                        "command result",
                        "heartbeat",
                        "DeadLetter",
                        "Redriven",
                        "perigee.audit.action");
        assertThat(messages).isEqualTo(EventType.values().length - 1L + others.size());
    }

    @Test
    void everySchemaFileIsReachedAndEveryReferenceLeadsSomewhere() throws IOException {
        Set<Path> reached = new HashSet<>();
        DOCUMENT.findValues("$ref").forEach(reference -> follow(FILE, reference, reached));
        try (var files = Files.list(SCHEMAS)) {
            assertThat(files).containsExactlyInAnyOrderElementsOf(reached);
        }
    }

    private static void follow(Path from, JsonNode reference, Set<Path> reached) {
        var target = reference.asString();
        if (target.startsWith("#")) {
            var document = from.equals(FILE) ? DOCUMENT : new YAMLMapper().readTree(from.toFile());
            assertThat(document.at(target.substring(1)).isMissingNode()).as(target).isFalse();
            return;
        }
        var file = from.toAbsolutePath().resolveSibling(target).normalize();
        assertThat(file).isRegularFile();
        if (reached.add(file)) {
            new YAMLMapper()
                    .readTree(file.toFile())
                    .findValues("$ref")
                    .forEach(inner -> follow(file, inner, reached));
        }
    }

    @Test
    void everyHeaderIsDocumented() {
        var documented = new TreeSet<String>();
        DOCUMENT.at("/components/schemas")
                .forEach(schema -> documented.addAll(schema.get("properties").propertyNames()));
        assertThat(Arrays.stream(Headers.class.getFields()).map(AsyncApiTest::constant))
                .containsExactlyInAnyOrderElementsOf(documented);
    }

    @Test
    void deadLetterReasonsAreThoseOfTheCode() {
        var reasons =
                DOCUMENT.at("/components/schemas/deadLetterHeaders/properties/perigee-reason/enum");
        assertThat(reasons.valueStream().map(JsonNode::asString))
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(DeadLetterReason.values())
                                .map(DeadLetterReason::code)
                                .toList());
    }

    private static String constant(Field field) {
        try {
            return String.valueOf(field.get(null));
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static JsonNode channel(Topic topic) {
        return DOCUMENT.path("channels")
                .valueStream()
                .filter(channel -> channel.get("address").asString().equals(NAMES.of(topic)))
                .findFirst()
                .orElseGet(MissingNode::getInstance);
    }

    private static Stream<JsonNode> messages(Topic topic) {
        return channel(topic)
                .path("messages")
                .valueStream()
                .map(message -> DOCUMENT.at(message.get("$ref").asString().substring(1)));
    }
}

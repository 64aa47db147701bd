package dev.perigee.protocol.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.corpus.Corpus;
import dev.perigee.corpus.FullSample;
import dev.perigee.protocol.audit.AuditRecord;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventOrigin;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.event.Heartbeat;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.HeldQuestion;
import dev.perigee.protocol.link.Hello;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.Lease;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.DeadLetterReason;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.Topic;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("DEP-08: records and frames of versions before are read by this one")
final class RecordCorpusTest {
    private static final RawJson ANY = RawJson.of("{\"any\":[1,\"text\",null]}");

    /** Parameters and results by method; an empty list where both are empty. */
    private static final Map<String, List<Class<?>>> METHODS =
            Map.ofEntries(
                    Map.entry(LinkMethod.HELLO, List.of(Hello.Request.class, Hello.Result.class)),
                    Map.entry(
                            LinkMethod.ATTACH, List.of(Attach.Request.class, Attach.Result.class)),
                    Map.entry(LinkMethod.DETACH, List.of(Attach.Detach.class)),
                    Map.entry(
                            LinkMethod.RELEASE,
                            List.of(Attach.Release.class, Attach.Released.class)),
                    Map.entry(
                            LinkMethod.TRIAL, List.of(Attach.Trial.class, Attach.TrialPlace.class)),
                    Map.entry(LinkMethod.LEASE, List.of(Lease.Request.class, Lease.Result.class)),
                    order(LinkMethod.APPLY, InstanceOrder.Apply.class),
                    order(LinkMethod.STOP, InstanceOrder.Simple.class),
                    order(LinkMethod.RESTART, InstanceOrder.Simple.class),
                    order(LinkMethod.REMOVE, InstanceOrder.Simple.class),
                    order(LinkMethod.RECOVER, InstanceOrder.Simple.class),
                    order(LinkMethod.SWITCH_TOOL, InstanceOrder.SwitchTool.class),
                    order(LinkMethod.HEALTH_CHECK, InstanceOrder.HealthCheck.class),
                    Map.entry(LinkMethod.PREPARE, List.of(InstanceOrder.Prepare.class)),
                    Map.entry(
                            LinkMethod.EXECUTE,
                            List.of(ToolOrder.Execute.class, ToolOrder.Accepted.class)),
                    Map.entry(
                            LinkMethod.CANCEL,
                            List.of(ToolOrder.Cancel.class, ToolOrder.Cancelled.class)),
                    Map.entry(LinkMethod.ACK, List.of(SessionNotice.Ack.class)),
                    Map.entry(LinkMethod.CREDIT, List.of(SessionNotice.Credit.class)),
                    Map.entry(LinkMethod.COMMITTED, List.of(SessionNotice.Committed.class)),
                    Map.entry(LinkMethod.STAYING, List.of(SessionNotice.Staying.class)),
                    Map.entry(LinkMethod.EVENT, List.of(SessionNotice.InstanceEvent.class)),
                    Map.entry(LinkMethod.FENCED, List.of(SessionNotice.Fenced.class)),
                    Map.entry(LinkMethod.ENDED, List.of(SessionNotice.Ended.class)),
                    Map.entry(LinkMethod.DRAINING, List.of(SessionNotice.Draining.class)),
                    Map.entry(LinkMethod.HEARTBEAT, List.of(Heartbeat.class)));

    private final FullSample samples =
            new FullSample()
                    .with(RawJson.class, ANY)
                    .with("egress", "10.0.0.0/8")
                    // What is spoken changes with every version, the form of a range does not.
                    .with(LinkVersions.class, new LinkVersions(1, 2));

    private static Map.Entry<String, List<Class<?>>> order(String method, Class<?> params) {
        return Map.entry(method, List.of(params, InstanceOrder.Outcome.class));
    }

    @Test
    void readsWhatEveryVersionWrote() {
        assertThat(records().unread()).isEmpty();
        assertThat(link().unread()).isEmpty();
    }

    @Test
    void hasAnEntryForWhatIsWrittenNow() {
        assertThat(records().changes()).isEmpty();
        assertThat(link().changes()).isEmpty();
    }

    @Test
    void coversEveryMethodOfTheLink() {
        assertThat(METHODS.keySet()).containsExactlyInAnyOrderElementsOf(names(LinkMethod.class));
    }

    private Corpus records() {
        var corpus = new Corpus("records");
        for (var type :
                List.of(
                        Command.class,
                        CommandResult.class,
                        ToolRequest.class,
                        ToolResult.class,
                        Heartbeat.class,
                        AuditRecord.class)) {
            add(corpus, type.getSimpleName(), type);
        }
        Arrays.stream(EventType.values())
                .filter(type -> type != EventType.TOOL_RESULT && type != EventType.REMOVED)
                .forEach(type -> event(corpus, type));
        samples.of(Enumerations.class);
        for (var enumeration : samples.enumerations()) {
            var all = enumeration.arrayType();
            corpus.add(
                    "enum " + enumeration.getSimpleName(),
                    Json.write(enumeration.getEnumConstants()),
                    old -> Json.write(Json.read(old, all)));
        }
        present(
                corpus,
                "event types",
                Arrays.stream(EventType.values())
                        .collect(Collectors.toMap(EventType::wireName, EventType::topic)));
        present(
                corpus,
                "topics",
                Arrays.stream(Topic.values())
                        .collect(Collectors.toMap(Topic::suffix, Topic::cleanup)));
        present(
                corpus,
                "headers",
                names(Headers.class).stream().collect(Collectors.toMap(name -> name, _ -> true)));
        return corpus;
    }

    /** Enumerations that no record has as a field: they are codes and headers. */
    record Enumerations(ErrorCode code, DeadLetterReason reason) {}

    private Corpus link() {
        var corpus = new Corpus("link");
        METHODS.forEach(
                (method, types) -> {
                    for (var type : types) {
                        add(corpus, method + " " + type.getSimpleName(), type);
                    }
                });
        add(corpus, "held question", HeldQuestion.class);
        Stream.of(
                        new LinkFrame.Request(1, LinkMethod.HELLO, ANY),
                        new LinkFrame.Notification(LinkMethod.ACK, ANY),
                        new LinkFrame.Response(1, ANY),
                        new LinkFrame.Failure(1L, LinkError.FENCED.code(), "why"))
                .forEach(
                        frame ->
                                corpus.add(
                                        "frame " + frame.getClass().getSimpleName(),
                                        frame.encode(),
                                        old -> LinkFrame.decode(old).encode()));
        present(
                corpus,
                "errors",
                Arrays.stream(LinkError.values())
                        .collect(Collectors.toMap(LinkError::name, LinkError::code)));
        return corpus;
    }

    private <T> void add(Corpus corpus, String name, Class<T> type) {
        corpus.add(name, Json.write(samples.of(type)), old -> Json.write(Json.read(old, type)));
    }

    private void event(Corpus corpus, EventType type) {
        var event = Event.of(samples.of(EventOrigin.class), samples.of(EventBody.classOf(type)));
        corpus.add(
                "event " + type.wireName(), Json.write(event), old -> Json.write(Event.read(old)));
    }

    /** Names that another version relies on: none may go or change what it stands for. */
    private static void present(Corpus corpus, String name, Map<String, ?> names) {
        var now = Json.write(new TreeMap<>(names));
        corpus.add(name, now, _ -> now);
    }

    private static List<String> names(Class<?> constants) {
        return Arrays.stream(constants.getDeclaredFields())
                .filter(field -> Modifier.isPublic(field.getModifiers()))
                .filter(field -> field.getType() == String.class)
                .map(RecordCorpusTest::text)
                .toList();
    }

    private static String text(Field constant) {
        try {
            return String.valueOf(constant.get(null));
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}

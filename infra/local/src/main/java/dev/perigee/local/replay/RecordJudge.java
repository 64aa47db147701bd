package dev.perigee.local.replay;

import dev.perigee.gateway.inbound.Inbound.CommandRead;
import dev.perigee.gateway.inbound.Inbound.Rejected;
import dev.perigee.gateway.inbound.Inbound.ReportRead;
import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.gateway.inbound.RecordReader;
import dev.perigee.gateway.inbound.ReplyTopics;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandPayload;
import dev.perigee.protocol.command.CommandType;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Decides which records are copied. What a record says is read by the gateway's own rules, so that
 * a record counts as bad here exactly when the source's gateways put it aside. Pure.
 */
final class RecordJudge {
    private static final long LARGEST_BYTES = 17L << 20;

    private final RecordReader reader;
    private final Selection selection;
    private final KnownTools tools;
    private final String target;

    /**
     * @param partitions process partitions of the source
     * @param target where copies go: cluster id, slash and topic prefix, as in {@link
     *     ReplayHeaders#OF}
     */
    RecordJudge(
            TopicNames source,
            int partitions,
            Selection selection,
            KnownTools tools,
            String target) {
        // Where answers went is no matter here: copies have no reply topic.
        this.reader =
                new RecordReader(
                        new ReplyTopics(source, List.of("*")),
                        partitions,
                        LARGEST_BYTES,
                        Duration.ofSeconds(30));
        this.selection = selection;
        this.tools = tools;
        this.target = target;
    }

    Verdict judge(Topic topic, ConsumerRecord<byte[], byte[]> record) {
        var of = record.headers().lastHeader(ReplayHeaders.OF);
        if (of != null
                && of.value() != null
                && new String(of.value(), StandardCharsets.UTF_8).startsWith(target)) {
            return new Verdict.Refused(Refusal.FROM_TARGET);
        }
        return switch (reader.read(topic, record)) {
            case CommandRead command -> command(command);
            case RequestRead request -> request(request);
            case ReportRead _ -> new Verdict.Refused(Refusal.REPORT);
            case Rejected rejected -> new Verdict.Refused(Refusal.of(rejected.reason()));
        };
    }

    private Verdict command(CommandRead read) {
        var command = read.command();
        if (read.copyOf() != null) {
            return new Verdict.Refused(Refusal.COPY);
        }
        if (!selection.accepts(read.key()) || !selection.accepts(command.payload())) {
            return new Verdict.NotWanted();
        }
        return new Verdict.Selected(Topic.COMMANDS, what(command), command.id(), read.key());
    }

    /** A command's kind, such as {@code configure mcp_redeploy}. */
    static String what(Command command) {
        return command.commandType().equals(CommandType.CONFIGURE)
                ? command.commandType() + " " + eventOf(command.payload())
                : command.commandType();
    }

    private static String eventOf(CommandPayload payload) {
        return String.valueOf(payload.event() != null ? payload.event() : payload.action());
    }

    private Verdict request(RequestRead read) {
        var request = read.request();
        var key = new RecordKey(request.teamId(), request.userId());
        var installation = selection.installation();
        if (!selection.accepts(key)
                || (installation != null && !tools.isFor(installation, request, read.path()))) {
            return new Verdict.NotWanted();
        }
        if (!isAllowed(read)) {
            return new Verdict.Refused(Refusal.NOT_READ_ONLY);
        }
        return new Verdict.Selected(
                Topic.TOOL_REQUESTS, read.method().wireName(), request.requestId(), key);
    }

    /**
     * What is not named here only reads: a call of a tool and the end of a task may have effects,
     * and a subscription stays with the target's instance. A cancellation stops what was asked for
     * before, and a response is for a question of the source, which nobody asks in the target.
     */
    private boolean isAllowed(RequestRead read) {
        return switch (read.method()) {
            case TOOLS_LIST,
                    TOOLS_SEARCH,
                    RESOURCES_LIST,
                    RESOURCES_TEMPLATES_LIST,
                    RESOURCES_READ,
                    PROMPTS_LIST,
                    PROMPTS_GET,
                    COMPLETION_COMPLETE,
                    TASKS_GET,
                    TASKS_LIST,
                    CANCEL,
                    CALL_RESPOND ->
                    true;
            case RESOURCES_SUBSCRIBE, RESOURCES_UNSUBSCRIBE, TASKS_CANCEL ->
                    selection.requests() == IncludedRequests.ALL;
            case TOOLS_CALL ->
                    selection.requests() == IncludedRequests.ALL
                            || selection.names(read.request().toolPath())
                            || (read.path() != null
                                    && tools.isReadOnly(read.request(), read.path()));
        };
    }
}

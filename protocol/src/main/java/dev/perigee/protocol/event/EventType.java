package dev.perigee.protocol.event;

import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.topic.Topic;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Kinds of journal entry, with the topic that each is published to. */
public enum EventType {
    STATUS_CHANGED("mcp.server.status_changed", Topic.STATUS),
    STARTED("mcp.server.started", Topic.LIFECYCLE),
    CRASHED("mcp.server.crashed", Topic.LIFECYCLE),
    RESTARTED("mcp.server.restarted", Topic.LIFECYCLE),
    PERMANENTLY_FAILED("mcp.server.permanently_failed", Topic.LIFECYCLE),
    DORMANT("mcp.server.dormant", Topic.LIFECYCLE),
    RESPAWNED("mcp.server.respawned", Topic.LIFECYCLE),
    EXITED("mcp.server.exited", Topic.LIFECYCLE),
    STOPPED("mcp.server.stopped", Topic.LIFECYCLE),
    LOGS("mcp.server.logs", Topic.LOGS),
    LOG_RATE_LIMIT_EXCEEDED("mcp.server.log_rate_limit_exceeded", Topic.LOGS),
    REQUEST_LOGS("mcp.request.logs", Topic.REQUEST_LOGS),
    CALL_PROGRESS("perigee.call.progress", Topic.CALL_EVENTS),
    CALL_LOG("perigee.call.log", Topic.CALL_EVENTS),
    CALL_INPUT_REQUIRED("perigee.call.input_required", Topic.CALL_EVENTS),
    CALL_TASK("perigee.call.task", Topic.CALL_EVENTS),
    RESOURCE_UPDATED("perigee.server.resource_updated", Topic.SERVER_EVENTS),
    LIST_CHANGED("perigee.server.list_changed", Topic.SERVER_EVENTS),
    NOTIFICATION("perigee.server.notification", Topic.SERVER_EVENTS),
    SUBSCRIPTIONS("perigee.server.subscriptions", Topic.SERVER_EVENTS),
    AUTHORIZATION("perigee.server.authorization", Topic.SERVER_EVENTS),
    TOOLS_DISCOVERED("mcp.tools.discovered", Topic.TOOLS),
    CATALOG("mcp.server.catalog", Topic.CATALOG),
    USAGE("mcp.server.usage", Topic.USAGE),
    TOOLS_UPDATED("mcp.tools.updated", Topic.LIFECYCLE),
    TOOL_RESULT("perigee.tool.result", Topic.TOOL_RESULTS),
    /**
     * The instance is gone for good: tombstones for everything compacted. Never a public record.
     */
    REMOVED("perigee.instance.removed", Topic.STATE);

    private static final Map<String, EventType> BY_NAME =
            Stream.of(values()).collect(Collectors.toMap(EventType::wireName, Function.identity()));

    private final String wireName;
    private final Topic topic;

    EventType(String wireName, Topic topic) {
        this.wireName = wireName;
        this.topic = topic;
    }

    /** The value of {@code event}, {@code ce_type} and the link's {@code type}. */
    public String wireName() {
        return wireName;
    }

    /** Where the record goes. */
    public Topic topic() {
        return topic;
    }

    /** The first version of the link that has it: an older gateway drops what it does not know. */
    public int linkVersion() {
        return switch (this) {
            case CALL_PROGRESS, CALL_LOG, CATALOG -> LinkVersions.CALLS_THAT_TALK;
            case CALL_INPUT_REQUIRED -> LinkVersions.QUESTIONS;
            case CALL_TASK -> LinkVersions.TASKS;
            case USAGE -> LinkVersions.USAGE;
            case RESOURCE_UPDATED, LIST_CHANGED, NOTIFICATION, SUBSCRIPTIONS ->
                    LinkVersions.SERVER_EVENTS;
            case AUTHORIZATION -> LinkVersions.AUTHORIZATION;
            default -> LinkVersions.FIRST;
        };
    }

    /** The type of this name, or null when this version does not know it. */
    public static @Nullable EventType of(String wireName) {
        return BY_NAME.get(wireName);
    }
}

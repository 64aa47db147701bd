package dev.perigee.protocol.tool;

import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Methods of tool requests. */
public enum ToolMethod {
    /** Calls a tool, which may have effects. */
    TOOLS_CALL("tools/call"),
    /** Lists the tools of one of the user's servers, or of all. */
    TOOLS_LIST("tools/list"),
    /** Searches the tools of all of the user's servers by {@code query}. */
    TOOLS_SEARCH("tools/search"),
    /** Lists a server's resources. */
    RESOURCES_LIST("resources/list"),
    /** Lists a server's templates of resources. */
    RESOURCES_TEMPLATES_LIST("resources/templates/list"),
    /** Reads a resource by its URI. */
    RESOURCES_READ("resources/read"),
    /** Has a server notify of changes of a resource, on {@code server-events}. */
    RESOURCES_SUBSCRIBE("resources/subscribe"),
    /** Ends that. */
    RESOURCES_UNSUBSCRIBE("resources/unsubscribe"),
    /** Lists a server's prompts. */
    PROMPTS_LIST("prompts/list"),
    /** Renders a prompt. */
    PROMPTS_GET("prompts/get"),
    /** Has a server complete an argument of a prompt or of a template of resources. */
    COMPLETION_COMPLETE("completion/complete"),
    /** Gets a task of a server by its id, in the server's own words. */
    TASKS_GET("tasks/get"),
    /** Lists a server's tasks. */
    TASKS_LIST("tasks/list"),
    /** Cancels a task of a server by its id. */
    TASKS_CANCEL("tasks/cancel"),
    /** Cancels an open request of the same user, by its id. */
    CANCEL("cancel"),
    /** Answers a question of a running call. */
    CALL_RESPOND("call/respond");

    private static final Map<String, ToolMethod> BY_NAME =
            Stream.of(values())
                    .collect(Collectors.toMap(ToolMethod::wireName, Function.identity()));

    private final String wireName;

    ToolMethod(String wireName) {
        this.wireName = wireName;
    }

    /** As in the field {@code method}. */
    public String wireName() {
        return wireName;
    }

    /** The method of this name, or null when there is none. */
    public static @Nullable ToolMethod of(String wireName) {
        return BY_NAME.get(wireName);
    }

    /** True when the request names one server in {@code tool_path}. */
    public boolean needsServer() {
        return switch (this) {
            case TOOLS_CALL,
                    RESOURCES_LIST,
                    RESOURCES_TEMPLATES_LIST,
                    RESOURCES_READ,
                    RESOURCES_SUBSCRIBE,
                    RESOURCES_UNSUBSCRIBE,
                    PROMPTS_LIST,
                    PROMPTS_GET,
                    COMPLETION_COMPLETE,
                    TASKS_GET,
                    TASKS_LIST,
                    TASKS_CANCEL ->
                    true;
            case TOOLS_LIST, TOOLS_SEARCH, CANCEL, CALL_RESPOND -> false;
        };
    }
}

package dev.perigee.worker.instance;

import dev.perigee.protocol.command.CommandAction.Check;
import dev.perigee.protocol.event.EventBody.Catalog;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.worker.mcp.ServerInfo;
import dev.perigee.worker.tool.FailureStatus;
import dev.perigee.worker.tool.ToolCatalogue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Messages to a supervisor. */
sealed interface Message {

    /** Orders; bounded in number, in contrast to events. */
    sealed interface Order extends Message {
        /** Where the outcome goes. */
        Settlement settlement();
    }

    /** Of equal ones that wait one is enough. */
    sealed interface Hint extends Message {}

    record Apply(InstanceOrder.Apply order, String configHash, Settlement settlement)
            implements Order {}

    record Stop(InstanceOrder.Simple order, Settlement settlement) implements Order {}

    record Restart(InstanceOrder.Simple order, Settlement settlement) implements Order {}

    record Remove(InstanceOrder.Simple order, Settlement settlement) implements Order {}

    record Recover(InstanceOrder.Simple order, Settlement settlement) implements Order {}

    record SwitchTool(InstanceOrder.SwitchTool order, Settlement settlement) implements Order {}

    record CheckHealth(InstanceOrder.HealthCheck order, Settlement settlement) implements Order {}

    /** Progress of a start, for people. */
    record Progressed(ProcessRun run, String what) implements Message {}

    /** The process runs and, where it speaks MCP, made its handshake. */
    record Started(ProcessRun run, @Nullable ServerInfo info) implements Message {}

    /** There is no process, or one that made no handshake and must go. */
    record StartFailed(ProcessRun run, String why) implements Message {}

    /**
     * There is no process, and for no fault of the server's: its user or team has too many awake,
     * or the disk of all servers is nearly full.
     *
     * @param code of the outcome, for programs
     */
    record StartRefused(ProcessRun run, String code, String why) implements Message {}

    /**
     * A session with a server over HTTP was made.
     *
     * @param round which attempt it was
     */
    record Connected(HttpRun run, long round) implements Message {}

    record ConnectFailed(HttpRun run, long round, FailureStatus trouble) implements Message {}

    /** There are other secrets by now than those that the server refused. */
    record OtherSecrets(HttpRun run) implements Hint {}

    /** A request waits for a token that the server takes. */
    record TokenWanted() implements Hint {}

    /** The time came to refresh tokens, or to ask again. */
    record TokensDue() implements Hint {}

    /** A call needs scopes that its token does not have. */
    record ScopesWanted(List<String> scopes) implements Hint {}

    /**
     * A step of OAuth was done.
     *
     * @param round which one it was
     */
    record Authorized(long round, OAuthStep step) implements Message {}

    /** A call to a server over HTTP failed for a reason that concerns all calls. */
    record CallFailed(HttpRun run, FailureStatus trouble) implements Message {}

    /**
     * The tools of a server.
     *
     * @param round which discovery it was
     * @param toolPages the server's own answers
     */
    record Discovered(ServerRun run, long round, ToolCatalogue catalogue, List<RawJson> toolPages)
            implements Message {}

    /**
     * The catalogue of a server.
     *
     * @param round which one it was
     * @param digest of everything in it but its time
     * @param bytes as JSON
     */
    record Catalogued(ServerRun run, long round, Catalog catalog, String digest, long bytes)
            implements Message {}

    /**
     * The tools could not be had.
     *
     * @param putOff where the server refused this one request: how long it asks to be left alone
     */
    record DiscoveryFailed(
            ServerRun run, long round, FailureStatus trouble, @Nullable Duration putOff)
            implements Message {}

    /** Output of a process was evicted before a gateway read it. */
    record OutputMissed(@Nullable Long pid) implements Hint {}

    /** The process ended; {@link ProcessRun#exit()} says how. */
    record Exited(ProcessRun run) implements Message {}

    /** The server's tools are others now. */
    record ToolsChanged(ServerRun run) implements Message {}

    /** The server's tools may be others now. */
    record ToolsMissed(ServerRun run) implements Message {}

    /** What the server notified of may be lost, and what it is to notify of forgotten. */
    record NoticesMissed(ServerRun run) implements Hint {}

    /**
     * A request changed what the server notifies of.
     *
     * @param run that was asked, null where none was
     * @param kept completed when a later owner will know
     */
    record SubscriptionChanged(
            @Nullable ServerRun run,
            String uri,
            boolean subscribed,
            CompletableFuture<@Nullable Void> kept)
            implements Message {}

    /**
     * The subscriptions were made again.
     *
     * @param refused those that the server did not take
     * @param unreached whether it did not answer some of them
     */
    record Renewed(ServerRun run, List<String> refused, boolean unreached) implements Message {}

    /** A call was answered by a server whose status said it would not. */
    record Answered(ServerRun run) implements Message {}

    /** A call needs a process where there was none left of so many starts. */
    record Wake(int starts) implements Hint {}

    /** The process seems idle; the supervisor checks. */
    record Idle() implements Hint {}

    /** Another server needs the place of this one, if it is idle. */
    record Yield() implements Hint {}

    /** The time of the worker's own next probe came. */
    record ProbeDue() implements Hint {}

    /**
     * Checks ended by one ping; there is no trouble when the server is well.
     *
     * @param own whether the worker asked by itself
     */
    record HealthChecked(
            ServerRun run,
            Check check,
            boolean own,
            @Nullable FailureStatus trouble,
            Duration took,
            List<Settlement> settlements)
            implements Message {}

    /** The time came for a restart, or for listing the tools again. */
    record Due() implements Message {}

    /** The worker no longer hosts the instance. */
    record Leave(Duration limit) implements Message {}
}

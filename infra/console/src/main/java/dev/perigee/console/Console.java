package dev.perigee.console;

import dev.perigee.gateway.FleetSources;
import dev.perigee.gateway.GatewayConsole;
import dev.perigee.gateway.deadletter.Drafter;
import dev.perigee.gateway.inbound.RecordReader;
import dev.perigee.gateway.inbound.TopicFollower;
import dev.perigee.protocol.access.AdminAccess;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.time.InstantSource;
import org.eclipse.jetty.server.Handler;

/**
 * Console of one gateway: its pages, and the reader behind them, which runs while there are
 * viewers.
 */
public final class Console implements GatewayConsole {
    private static final Duration LINGER = Duration.ofSeconds(30);
    private static final Duration SILENCE = Duration.ofSeconds(5);

    private final FleetWatch watch;
    private final boolean enabled;
    private final ConsoleHandler handler;
    private final ActionDesk actions;

    private Console(boolean enabled, FleetWatch watch, ActionDesk actions, ConsoleHandler handler) {
        this.enabled = enabled;
        this.watch = watch;
        this.actions = actions;
        this.handler = handler;
    }

    /**
     * A console that does nothing until its first viewer.
     *
     * @param rules by which the gateway refuses records
     */
    public static Console of(
            Settings settings,
            AdminAccess access,
            FleetSources sources,
            Kafka kafka,
            RecordReader rules,
            InstantSource clock) {
        var starts = new StartPositions(kafka.names(), settings.value(ConsoleSettings.HISTORY));
        var group =
                new GroupMembers(
                        kafka.admin(),
                        kafka.group(),
                        kafka.memberSuffix(),
                        kafka.names().of(Topic.COMMANDS));
        var map = new FleetMap(sources);
        var watch =
                new FleetWatch(
                        settings.value(ConsoleSettings.VIEWERS),
                        LINGER,
                        () -> new Board(settings.value(ConsoleSettings.MEMORY), clock.instant()),
                        board -> {
                            var reader =
                                    new TopicFollower(
                                            "console-reader",
                                            kafka.consumers(),
                                            new BoardReader(starts, board, clock));
                            var ticker =
                                    new FleetTicker(
                                            map,
                                            group,
                                            new BacklogProbe(
                                                    kafka.admin(), kafka.group(), kafka.names()),
                                            board,
                                            clock);
                            reader.start();
                            ticker.start();
                            return () -> {
                                ticker.close();
                                reader.close();
                            };
                        });
        var tokens = settings.valueOrNull(ConsoleSettings.TOKENS);
        var letters =
                new KafkaLetters(
                        kafka.consumers(),
                        kafka.redrivers(),
                        kafka.names(),
                        new Drafter(kafka.names(), sources.partitions(), rules, clock));
        var actions =
                new ActionDesk(
                        sources.gatewayId(),
                        new ActionTopics(
                                kafka.producers(),
                                kafka.consumers(),
                                kafka.admin(),
                                kafka.names(),
                                sources.partitions()),
                        new WorkerDrains(settings.valueOrNull(ConsoleSettings.WORKER_TOKEN)),
                        letters,
                        clock);
        var client = OidcClient.of(settings);
        var letIn =
                new ConsoleAccess(
                        access,
                        new LoginSessions(clock),
                        tokens == null ? ConsoleTokens.NONE : tokens,
                        settings.value(ConsoleSettings.ROLE),
                        client != null);
        return new Console(
                settings.value(ConsoleSettings.ENABLED),
                watch,
                actions,
                new ConsoleHandler(
                        sources.gatewayId(),
                        letIn,
                        watch,
                        new ActionPages(actions, watch),
                        new CallFinder(
                                kafka.consumers(),
                                kafka.names(),
                                settings.value(ConsoleSettings.HISTORY),
                                clock),
                        letters,
                        client == null
                                ? null
                                : new OidcPages(
                                        client,
                                        new OidcProvider(client, OidcProvider.PATIENCE, clock),
                                        new LoginTickets(clock),
                                        letIn,
                                        clock),
                        SILENCE));
    }

    /** What answers below {@code /console}; empty if switched off. */
    @Override
    public Handler[] handlers() {
        return enabled ? new Handler[] {handler} : new Handler[0];
    }

    /** Ends the streams of all viewers, and the actions. */
    @Override
    public void close() {
        actions.close();
        watch.close();
    }
}

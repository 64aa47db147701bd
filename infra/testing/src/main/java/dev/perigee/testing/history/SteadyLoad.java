package dev.perigee.testing.history;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Installation;
import dev.perigee.testing.fleet.Received;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Calls tools with side effects on instances of fixture F, one after the other at a steady pace
 * whether they are answered or not, until it is closed; then has the {@link History} of it all.
 */
public final class SteadyLoad implements AutoCloseable {
    private static final Duration LAST_ANSWER = Duration.ofSeconds(60);
    private static final Duration LAST_EVENT = Duration.ofSeconds(20);

    /**
     * Of so many calls the first is answered at once, each next later, and the last is read-only.
     */
    private static final int MIX = 4;

    private static final long SLOWER_MS = 50;

    /** One of so many is a command. */
    private static final int COMMANDS = 10;

    /** What is asked of a server that changes nothing. */
    private static final String CHECK = "health_check";

    private static final Duration RETURN = Duration.ofSeconds(90);

    private final FleetUnderTest fleet;
    private final Path folder;
    private final List<Installation> servers;
    private final Duration pace;
    private final int mix;
    private final int commands;
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final LiveServers live = LiveServers.watching();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean paused;
    private final Object asking = new Object();
    private final Thread thread = Thread.ofPlatform().name("load").unstarted(this::send);

    private SteadyLoad(
            FleetUnderTest fleet,
            Path folder,
            List<Installation> servers,
            Duration pace,
            int mix,
            int commands) {
        this.mix = mix;
        this.commands = commands;
        this.fleet = fleet;
        this.folder = folder;
        this.servers = servers;
        this.pace = pace;
    }

    /**
     * Installs servers, each worker's in turn, and begins to call them.
     *
     * @param folder for what the tools leave behind
     * @param pace the time between two calls
     */
    public static SteadyLoad on(FleetUnderTest fleet, Path folder, int servers, Duration pace) {
        return on(fleet, folder, servers, pace, 1, Integer.MAX_VALUE);
    }

    /**
     * Installs servers and begins to call them; one call in so many is of a tool that says that it
     * may be repeated, and takes a while.
     */
    public static SteadyLoad mixed(FleetUnderTest fleet, Path folder, int servers, Duration pace) {
        return on(fleet, folder, servers, pace, MIX, Integer.MAX_VALUE);
    }

    /** The same, but that now and then a command comes instead of a call. */
    public static SteadyLoad withCommands(
            FleetUnderTest fleet, Path folder, int servers, Duration pace) {
        return on(fleet, folder, servers, pace, MIX, COMMANDS);
    }

    private static SteadyLoad on(
            FleetUnderTest fleet, Path folder, int servers, Duration pace, int mix, int commands) {
        var wanted = fleet.placing().fixtures(servers).stream().map(SteadyLoad::watched).toList();
        var load =
                new SteadyLoad(fleet, folder, fleet.backend().install(wanted), pace, mix, commands);
        load.thread.start();
        return load;
    }

    /** The installation as {@link LiveServers} sees it. */
    public static Installation watched(Installation installation) {
        return installation.withEnv(
                LiveServers.VARIABLE, LiveServers.mark(installation.processId()));
    }

    /** The processes of the servers. */
    public LiveServers live() {
        return live;
    }

    /** The servers that are called. */
    public List<Installation> servers() {
        return servers;
    }

    /** The pids that the servers have now, in their order. */
    public List<String> pids() {
        return servers.stream().map(server -> fleet.backend().text(server, "pid", "{}")).toList();
    }

    /** The same after a fault that may cost calls: asks again until each server answers. */
    public List<String> pidsAtLast() {
        return servers.stream().map(this::pidAtLast).toList();
    }

    private String pidAtLast(Installation server) {
        long end = System.nanoTime() + RETURN.toNanos();
        var answer = fleet.backend().call(server, "pid", "{}");
        while (!answer.text("outcome").equals("success")) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError(
                        "Not back after %s: %s%n%s".formatted(RETURN, answer, life(server)));
            }
            answer = fleet.backend().call(server, "pid", "{}");
        }
        return answer.text("result/content/0/text");
    }

    /** What was told of a server, a line each. */
    private String life(Installation server) {
        return fleet.records().on(Topic.LIFECYCLE).stream()
                .filter(event -> event.text("process_id").equals(server.processId()))
                .map(Object::toString)
                .collect(Collectors.joining("\n"));
    }

    /**
     * Makes no calls from now on, until {@link #goOn}, and returns when those that were made are
     * answered.
     */
    public void pause() {
        synchronized (asking) { // What is being asked meanwhile is known then.
            paused = true;
        }
        awaitAnswers();
    }

    /** Makes calls again. */
    public void goOn() {
        paused = false;
    }

    /** Makes one call to each server that takes so long, and returns at once. */
    public void callSlowly(Duration time) {
        for (var server : servers) {
            call(server, "counter", false, "slow-" + requests.size(), time.toMillis());
        }
    }

    /** How many calls were made so far. */
    public int sent() {
        return requests.size();
    }

    private void send() {
        try {
            for (int number = 0; !closed.await(pace.toNanos(), TimeUnit.NANOSECONDS); ) {
                synchronized (asking) {
                    if (!paused) {
                        ask(servers.get(number % servers.size()), number++);
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void ask(Installation server, int number) {
        if (number % commands == commands - 1) {
            command(server);
        } else {
            boolean repeatable = number % mix == mix - 1 && mix > 1;
            call(
                    server,
                    repeatable ? "counter_readonly" : "counter",
                    repeatable,
                    Integer.toString(number),
                    number % mix * SLOWER_MS);
        }
    }

    private void command(Installation server) {
        long now = System.currentTimeMillis();
        var id =
                fleet.backend()
                        .command(
                                server,
                                CHECK,
                                command -> {
                                    command.withObjectProperty("payload")
                                            .put("check_type", "connectivity");
                                    return command;
                                });
        requests.add(Request.command(id, server.processId(), now));
    }

    private void call(
            Installation server, String tool, boolean repeatable, String number, long ms) {
        var effect = server.processId() + "#" + number;
        var arguments =
                "{\"file\":\"%s\",\"line\":\"%s\",\"ms\":%d}".formatted(file(server), effect, ms);
        long now = System.currentTimeMillis();
        var id = fleet.backend().request(server, tool, arguments);
        requests.add(new Request(id, server.processId(), effect, repeatable, now));
    }

    private Path file(Installation server) {
        return folder.resolve(server.processId());
    }

    /**
     * Sends no more, waits for every answer and for what came before, and tells what happened since
     * the start.
     */
    public History history() {
        close();
        awaitAnswers();
        live.close();
        var effects = new ArrayList<String>();
        for (var server : servers) {
            effects.addAll(lines(file(server)));
        }
        var records =
                fleet.records().awaitAll(seen -> history(seen, effects).isWhole(), LAST_EVENT);
        return history(records, effects);
    }

    private void awaitAnswers() {
        long end = System.nanoTime() + LAST_ANSWER.toNanos();
        for (boolean ofCommands : new boolean[] {false, true}) {
            var _ = unanswered(ofCommands, Duration.ofNanos(end - System.nanoTime()));
        }
    }

    /** The ids of calls and commands that have no answer yet. */
    public Set<String> unanswered() {
        var unanswered = new TreeSet<>(unanswered(false, Duration.ZERO));
        unanswered.addAll(unanswered(true, Duration.ZERO));
        return unanswered;
    }

    private Set<String> unanswered(boolean ofCommands, Duration patience) {
        return fleet.records()
                .awaitEach(
                        ofCommands ? Topic.COMMAND_RESULTS : Topic.TOOL_RESULTS,
                        HistoryRecord::answered,
                        requests.stream()
                                .filter(request -> request.isCommand() == ofCommands)
                                .map(Request::id)
                                .toList(),
                        patience);
    }

    private History history(List<Received> records, List<String> effects) {
        return new History(
                requests,
                records.stream().map(HistoryRecord::of).toList(),
                effects,
                live.doubles());
    }

    private static List<String> lines(Path file) {
        try {
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(30));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        live.close();
    }
}

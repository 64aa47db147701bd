package dev.perigee.bench.call;

import dev.perigee.bench.call.Subject.Spender;
import dev.perigee.bench.fleet.BenchFleet;
import dev.perigee.bench.fleet.CommandClient;
import dev.perigee.bench.fleet.EchoProgram;
import dev.perigee.bench.fleet.JvmProbe;
import dev.perigee.bench.fleet.Users;
import dev.perigee.bench.load.EchoPath;
import dev.perigee.bench.load.KafkaEcho;
import dev.perigee.bench.load.Load;
import dev.perigee.bench.load.LoadDriver;
import dev.perigee.bench.load.LoadFleetClient;
import dev.perigee.bench.load.PipeEcho;
import dev.perigee.bench.report.BenchProgress;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Measures calls four ways, side by side: in each round, under each load, each way once, in an
 * order that turns from round to round. Used by one thread.
 */
public final class CallBench {
    /** Of the fleet and of the bare topics. */
    public static final int PARTITIONS = 8;

    private static final Load WARMUP = new Load.InFlight(64);

    /** Of a core, by all compilers of a way's JVMs together: less is warm. */
    private static final double COMPILING = 0.1;

    private static final Duration STALL = Duration.ofSeconds(60);
    private static final Duration INSTALL = Duration.ofMinutes(5);

    /** From so many in flight on it is looked at how many users make a difference. */
    private static final int LARGE = 64;

    private final CallPlan plan;
    private final BenchFleet fleet;
    private final BenchProgress progress;
    private final CommandClient commands;
    private final List<AutoCloseable> open = new ArrayList<>();
    private final Spender broker;

    /** A load on a subject. */
    private record Case(Subject subject, Load load) {}

    private CallBench(
            CallPlan plan, BenchFleet fleet, CommandClient commands, BenchProgress progress)
            throws IOException {
        this.plan = plan;
        this.fleet = fleet;
        this.progress = progress;
        this.commands = commands;
        this.broker = spender("broker", fleet.pid("broker"), probe(fleet.pid("broker")));
    }

    /** How long it takes, about. */
    public static double seconds(CallPlan plan) {
        double each = BenchProgress.seconds(plan.time());
        int loads = plan.inFlight().size();
        long large = plan.inFlight().stream().filter(count -> count >= LARGE).count();
        double cases = 4 * loads + (plan.everything() ? 2 * loads : 0);
        cases += 2.0 * plan.users().size() * large + (plan.perSecond() > 0 ? 2 : 0);
        double warm = (4 + (plan.everything() ? 2 : 0)) * BenchProgress.seconds(plan.warmup());
        return cases * plan.rounds() * (each + 0.05) + warm;
    }

    /**
     * Measures in a fleet that serves, with {@link #PARTITIONS} partitions, a gateway and a worker.
     *
     * @param trivial the server that costs least
     */
    public static List<CallRow> run(
            CallPlan plan, BenchFleet fleet, EchoProgram trivial, BenchProgress progress)
            throws IOException, InterruptedException {
        try (var commands = CommandClient.connect(fleet)) {
            var bench = new CallBench(plan, fleet, commands, progress);
            try {
                return bench.measure(bench.cases(trivial));
            } finally {
                bench.close();
            }
        }
    }

    private List<CallRow> measure(List<List<Case>> loads) throws InterruptedException {
        var samples = new LinkedHashMap<Case, List<Sample>>();
        loads.forEach(load -> load.forEach(each -> samples.put(each, new ArrayList<>())));
        for (int round = 0; round < plan.rounds(); round++) {
            for (var load : loads) {
                for (int turn = 0; turn < load.size(); turn++) {
                    var each = load.get((turn + round) % load.size());
                    progress.step(
                            "Calls, round %d of %d, %s, %s"
                                    .formatted(
                                            round + 1,
                                            plan.rounds(),
                                            each.subject().name(),
                                            each.load().label()),
                            BenchProgress.seconds(plan.time()));
                    var sample = each.subject().measure(each.load(), plan.time());
                    samples.getOrDefault(each, List.of()).add(sample);
                }
            }
        }
        return samples.entrySet().stream()
                .map(
                        each -> {
                            var subject = each.getKey().subject();
                            return new CallRow(
                                    subject.way(),
                                    subject.server(),
                                    subject.users(),
                                    each.getKey().load(),
                                    each.getValue());
                        })
                .toList();
    }

    /** What is measured, by load: those of one list are measured one after another. */
    private List<List<Case>> cases(EchoProgram trivial) throws IOException, InterruptedException {
        var client = open(LoadFleetClient.connect(fleet.bootstrap(), fleet.topics()));
        var parts = parts(fleet.pid("gateway-1"), fleet.pid("worker-1"));
        var one = Users.first(1);
        install(trivial, Math.max(1, plan.users().stream().mapToInt(it -> it).max().orElse(1)));
        var whole = warm(perigee(trivial, 1, client.path(one, trivial.slug()), parts));
        var pipe = warm(pipe(trivial));
        var bare = open(KafkaEcho.bare(place("bench", client)));
        var replier = spender("replier", bare.pids().getFirst(), probe(bare.pids().getFirst()));
        var kafka = warm(kafka(bare, 1, replier));
        var relay = warm(relay(client, trivial));
        var subjects = new ArrayList<>(List.of(pipe, kafka, relay, whole));
        var everything = plan.everything() ? EchoProgram.everything(progress::note) : null;
        if (everything != null) {
            commands.install(everything, one, INSTALL);
            subjects.add(warm(pipe(everything)));
            subjects.add(warm(perigee(everything, 1, client.path(one, everything.slug()), parts)));
        }
        var many = new ArrayList<Subject>();
        for (int count : distinct(plan.users())) {
            if (count > 1) { // One is among the subjects of every load.
                var path = client.path(Users.first(count), trivial.slug());
                many.add(kafka(bare, count, replier));
                many.add(perigee(trivial, count, path, parts));
            }
        }
        var cases = new ArrayList<List<Case>>();
        for (int count : distinct(plan.inFlight())) {
            var load = new Load.InFlight(count);
            var together = new ArrayList<>(subjects);
            if (count >= LARGE) {
                together.addAll(many);
            }
            cases.add(together.stream().map(subject -> new Case(subject, load)).toList());
        }
        if (plan.perSecond() > 0) {
            var load = new Load.Rate(plan.perSecond());
            cases.add(List.of(new Case(kafka, load), new Case(whole, load)));
        }
        return cases;
    }

    private static List<Integer> distinct(List<Integer> given) {
        return given.stream().distinct().toList();
    }

    private void install(EchoProgram server, int users) throws IOException, InterruptedException {
        progress.step("Installing " + server.slug() + " for " + users + " users", 0);
        commands.install(server, Users.first(users), INSTALL);
    }

    /** Until hardly anything is compiled any more: a JVM that compiles measures its compiler. */
    private Subject warm(Subject subject) throws InterruptedException {
        progress.step("Warming up, " + subject.name(), BenchProgress.seconds(plan.warmup()));
        long end = System.nanoTime() + plan.longestWarmup().toNanos();
        double compiling;
        do {
            long begin = System.nanoTime();
            long before = compiledMillis(subject);
            subject.driver().run(WARMUP, plan.warmup());
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
            compiling = (compiledMillis(subject) - before) / (double) Math.max(1, millis);
        } while (compiling > COMPILING && System.nanoTime() - end < 0);
        if (compiling > COMPILING) {
            progress.note(
                    "%s is not warm yet: its JVMs compile, %.1f cores"
                            .formatted(subject.name(), compiling));
        }
        return subject;
    }

    private static long compiledMillis(Subject subject) {
        return ManagementFactory.getCompilationMXBean().getTotalCompilationTime()
                + subject.spenders().stream()
                        .map(Spender::jvm)
                        .filter(Objects::nonNull)
                        .mapToLong(JvmProbe::compiledMillis)
                        .sum();
    }

    private Subject pipe(EchoProgram server) throws IOException, InterruptedException {
        var pipe = open(PipeEcho.start(server.line()));
        return subject(
                Way.BARE_PIPE,
                server.slug(),
                1,
                pipe,
                List.of(spender("server", pipe.pid(), null)));
    }

    private Subject kafka(KafkaEcho bare, int users, Spender replier) {
        var path = bare.path(Users.first(users));
        return subject(Way.BARE_KAFKA, "", users, path, List.of(broker, replier));
    }

    private Subject relay(LoadFleetClient client, EchoProgram server)
            throws IOException, InterruptedException {
        var relay = open(KafkaEcho.relayed(place("bench.relay", client), server.line()));
        var spenders = parts(relay.pids().getFirst(), relay.pids().getLast());
        var path = relay.path(Users.first(1));
        return subject(Way.BARE_RELAY, server.slug(), 1, path, spenders);
    }

    private KafkaEcho.Place place(String topics, LoadFleetClient client) {
        return new KafkaEcho.Place(
                fleet.bootstrap(), topics, PARTITIONS, client.shape(), BenchFleet.flags());
    }

    private static Subject perigee(
            EchoProgram server, int users, EchoPath path, List<Spender> parts) {
        return subject(Way.PERIGEE, server.slug(), users, path, parts);
    }

    private static Subject subject(
            Way way, String server, int users, EchoPath path, List<Spender> others) {
        var spenders = new ArrayList<>(others);
        spenders.add(spender("client", ProcessHandle.current().pid(), null));
        return new Subject(way, server, users, new LoadDriver(path, STALL), spenders);
    }

    private List<Spender> parts(long gateway, long worker) throws IOException {
        return List.of(
                broker,
                spender("gateway", gateway, probe(gateway)),
                spender("worker", worker, probe(worker)),
                new Spender("server", () -> descendants(worker), null));
    }

    private static List<Long> descendants(long pid) {
        return ProcessHandle.of(pid).stream()
                .flatMap(ProcessHandle::descendants)
                .map(ProcessHandle::pid)
                .toList();
    }

    private static Spender spender(String name, long pid, @Nullable JvmProbe jvm) {
        return new Spender(name, () -> List.of(pid), jvm);
    }

    private JvmProbe probe(long pid) throws IOException {
        return open(JvmProbe.attach(pid));
    }

    private <T extends AutoCloseable> T open(T resource) {
        open.add(resource);
        return resource;
    }

    private void close() {
        for (var resource : open.reversed()) {
            try {
                resource.close();
            } catch (Exception e) {
                progress.note("Could not be closed: " + e);
            }
        }
    }
}
